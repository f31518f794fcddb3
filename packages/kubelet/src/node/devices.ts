import { readFile, stat } from 'node:fs/promises';
import { PathError } from '../errors.ts';

/** Major and minor numbers, as the C library packs them into one (gnu_dev_major, gnu_dev_minor). */
export function deviceNumbers(packed: number): { readonly major: number; readonly minor: number } {
  const number = BigInt(packed);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & ~0xfffn);
  const minor = (number & 0xffn) | ((number >> 12n) & ~0xffn & 0xffffffffn);
  return { major: Number(major), minor: Number(minor) };
}

/** The node's own name of a block device: containers' runtimes see no mounts that are made elsewhere. Throws PathError. */
export async function deviceAt(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isBlockDevice()) throw new PathError(path, 'is not a block device');
  const { major, minor } = deviceNumbers(found.rdev);
  const facts = await readFile(`/sys/dev/block/${major}:${minor}/uevent`, 'utf8');
  const name = /^DEVNAME=(.+)$/m.exec(facts)?.[1];
  if (name === undefined) throw new PathError(path, `block device ${major}:${minor} has no name`);
  return `/dev/${name}`;
}
