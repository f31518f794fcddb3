/** Which devices containers have: a file, since containers outlive their kubelet. */
import { parsedJson } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';

/** What a plugin wants a container to get with its devices. */
export interface DeviceGrant {
  readonly ids: readonly string[];
  readonly envs: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  readonly mounts: readonly { readonly hostPath: string; readonly containerPath: string; readonly readOnly: boolean }[];
  readonly devices: readonly {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly permissions: string;
  }[];
  /** Devices of CDI, by their full names. Absent: none. */
  readonly cdiIds?: readonly string[];
}

/** By resource. */
export type ContainerGrants = Map<string, DeviceGrant>;

/** By pod UID and container. */
export type Grants = Map<string, Map<string, ContainerGrants>>;

interface Written {
  readonly resources: readonly string[];
  readonly pods: {
    readonly [uid: string]: { readonly [container: string]: { readonly [resource: string]: DeviceGrant } };
  };
}

const BYTES_MAX = 16 << 20;

/** Writes it, whole or not at all. `resources`: those that plugins have told of. */
export async function writeGrants(
  files: HostFiles,
  path: string,
  of: { readonly resources: readonly string[]; readonly grants: Grants },
): Promise<void> {
  const pods = Object.fromEntries(
    [...of.grants].map(([uid, containers]) => [
      uid,
      Object.fromEntries([...containers].map(([name, grants]) => [name, Object.fromEntries(grants)])),
    ]),
  );
  const written: Written = { resources: of.resources, pods };
  await files.writeFile(path, new TextEncoder().encode(JSON.stringify(written)), { mode: 0o600 });
}

/** What is there, or nothing: a file that cannot be read frees no device that is in use, since its pods are asked again. */
export async function readGrants(
  files: HostFiles,
  path: string,
): Promise<{ readonly resources: readonly string[]; readonly grants: Grants }> {
  const bytes = await files.readRange(path, 0, BYTES_MAX);
  const written = bytes === undefined ? undefined : parse(new TextDecoder().decode(bytes));
  const grants: Grants = new Map();
  for (const [uid, containers] of Object.entries(written?.pods ?? {})) {
    const ofPod = new Map<string, ContainerGrants>();
    for (const [name, of] of Object.entries(containers)) ofPod.set(name, new Map(Object.entries(of)));
    grants.set(uid, ofPod);
  }
  return { resources: written?.resources ?? [], grants };
}

function parse(text: string): Written | undefined {
  const value = parsedJson(text) as Partial<Written> | null | undefined;
  return Array.isArray(value?.resources) && typeof value.pods === 'object' && value.pods !== null
    ? (value as Written)
    : undefined;
}
