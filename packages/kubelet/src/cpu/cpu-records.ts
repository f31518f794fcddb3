/** Which containers have CPUs of their own: a file, since containers outlive their kubelet. */
import { membersOf } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
import { isTableOf, isText, readWritten, writeDown } from '../written-down.ts';
import { formatCpuSet, parseCpuSet } from './cpu-set.ts';

/** By pod UID and container. */
export type CpuGrants = Map<string, Map<string, readonly number[]>>;

interface Written {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries: { readonly [uid: string]: { readonly [container: string]: string } };
}

const BYTES_MAX = 4 << 20;

/** Whole or not at all. `shared`: what all others run on. */
export async function writeCpuGrants(
  files: HostFiles,
  path: string,
  of: { readonly shared: readonly number[]; readonly grants: CpuGrants },
): Promise<void> {
  const entries = Object.fromEntries(
    [...of.grants].map(([uid, own]) => [
      uid,
      Object.fromEntries([...own].map(([name, cpus]) => [name, formatCpuSet(cpus)])),
    ]),
  );
  const written: Written = { policyName: 'static', defaultCpuSet: formatCpuSet(of.shared), entries };
  await writeDown(files, path, written);
}

/** What is there; `corrupt`: nothing that a kubelet wrote. Undefined: there is none. Throws KubeletConfigError for lists that are none. */
export async function readCpuGrants(
  files: HostFiles,
  path: string,
): Promise<{ readonly policy: string; readonly grants: CpuGrants } | 'corrupt' | undefined> {
  const found = await readWritten(files, path, BYTES_MAX);
  if (found === undefined) return undefined;
  if (!isWritten(found.value)) return 'corrupt';
  const { policyName, entries } = found.value;
  const grants: CpuGrants = new Map();
  for (const [uid, own] of Object.entries(entries)) {
    grants.set(uid, new Map(Object.entries(own).map(([name, cpus]) => [name, parseCpuSet(cpus)])));
  }
  return { policy: policyName, grants };
}

function isWritten(value: unknown): value is Written {
  const { policyName, entries } = membersOf(value);
  return isText(policyName) && isTableOf(entries, (own) => isTableOf(own, isText));
}
