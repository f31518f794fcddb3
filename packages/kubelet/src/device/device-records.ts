/** Which devices containers have: a file, since containers outlive their kubelet. */
import { membersOf } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
import { isListOf, isTableOf, isText, readWritten, writeDown } from '../written-down.ts';

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
  await writeDown(files, path, written);
}

/** What is there; `corrupt`: nothing that a kubelet wrote. */
export async function readGrants(
  files: HostFiles,
  path: string,
): Promise<{ readonly resources: readonly string[]; readonly grants: Grants } | 'corrupt'> {
  const found = await readWritten(files, path, BYTES_MAX);
  if (found === undefined) return { resources: [], grants: new Map() };
  if (!isWritten(found.value)) return 'corrupt';
  const { resources, pods } = found.value;
  const grants: Grants = new Map();
  for (const [uid, containers] of Object.entries(pods)) {
    const ofPod = new Map<string, ContainerGrants>();
    for (const [name, of] of Object.entries(containers)) ofPod.set(name, new Map(Object.entries(of)));
    grants.set(uid, ofPod);
  }
  return { resources, grants };
}

function isWritten(value: unknown): value is Written {
  const { resources, pods } = membersOf(value);
  const isContainer = (of: unknown): boolean => isTableOf(of, isGrant);
  return isListOf(resources, isText) && isTableOf(pods, (of) => isTableOf(of, isContainer));
}

function isGrant(value: unknown): value is DeviceGrant {
  const { ids, envs, annotations, mounts, devices, cdiIds = [] } = membersOf(value);
  const isPath = (of: unknown): boolean => isText(membersOf(of)['hostPath']) && isText(membersOf(of)['containerPath']);
  return (
    [ids, cdiIds].every((list) => isListOf(list, isText)) &&
    [envs, annotations].every((table) => isTableOf(table, isText)) &&
    [mounts, devices].every((list) => isListOf(list, isPath))
  );
}
