/** Which containers have CPUs of their own: a file, since containers outlive their kubelet. */
import { parsedJson } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
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
  await files.writeFile(path, new TextEncoder().encode(JSON.stringify(written)), { mode: 0o600 });
}

/** Undefined: there is none, or nobody can read it. Throws KubeletConfigError for lists that are none. */
export async function readCpuGrants(
  files: HostFiles,
  path: string,
): Promise<{ readonly policy: string; readonly grants: CpuGrants } | undefined> {
  const bytes = await files.readRange(path, 0, BYTES_MAX);
  const parsed = bytes === undefined ? undefined : parsedJson(new TextDecoder().decode(bytes));
  const { policyName, entries } = (parsed ?? {}) as Partial<Written>;
  if (typeof policyName !== 'string' || typeof entries !== 'object') return undefined;
  const grants: CpuGrants = new Map();
  for (const [uid, own] of Object.entries(entries)) {
    grants.set(uid, new Map(Object.entries(own).map(([name, cpus]) => [name, parseCpuSet(cpus)])));
  }
  return { policy: policyName, grants };
}
