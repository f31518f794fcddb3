import type { HostPathVolumeSource } from '@binnacle/api/core/v1';
import { VolumeError } from '../../errors.ts';
import type { HostFiles, PathKind } from '../../ports.ts';
import type { VolumeDriver } from '../driver.ts';

/** A path of the node. */
export const hostPathDriver: VolumeDriver = {
  source: 'hostPath',
  plugin: 'host-path',
  async setUp({ volume, files }) {
    const source = volume.hostPath ?? { path: '' };
    if (files !== undefined) await checkHostPath(files, source);
    return { hostPath: source.path, readOnly: false };
  },
};

const WANTED: { readonly [type: string]: readonly [PathKind, string] } = {
  Directory: ['directory', 'a directory'],
  File: ['file', 'a file'],
  Socket: ['socket', 'a socket'],
  CharDevice: ['charDevice', 'a character device'],
  BlockDevice: ['blockDevice', 'a block device'],
};

/** Checks, or makes, what a hostPath's type asks for. Throws VolumeError. */
export async function checkHostPath(files: HostFiles, source: HostPathVolumeSource): Promise<void> {
  const type = source.type ?? '';
  if (type === '') return;
  let kind = await files.kind(source.path);
  if (kind === 'absent' && type === 'DirectoryOrCreate') return files.makeDirectory(source.path, 0o755);
  if (kind === 'absent' && type === 'FileOrCreate') {
    // Another pod may have made it since: it is one file for both.
    await files.makeFile(source.path);
    kind = await files.kind(source.path);
  }
  const [wanted, text] = WANTED[type.replace('OrCreate', '')] ?? ['absent', type];
  if (kind !== wanted) throw new VolumeError(source.path, `hostPath type check failed: ${source.path} is not ${text}`);
}
