import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import { timedCause } from '@binnacle/client';
import type { Client, Draft } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

/** API group and the resources of it that are listed and watched. */
export type ReadResources = readonly (readonly [group: string, ...resources: string[]])[];

/** Lets a user list and watch, by a ClusterRole and its binding of one name: the user's own, or that of a further role. */
export async function ensureReader(
  admin: Client,
  name: string | { readonly role: string; readonly user: string },
  resources: ReadResources,
): Promise<void> {
  const { role, user } = typeof name === 'string' ? { role: name, user: name } : name;
  const verbs = ['list', 'watch'];
  const rules = resources.map(([group, ...names]) => ({ apiGroups: [group], resources: names, verbs }));
  await ensureObject(admin, CLUSTER_ROLES, { metadata: { name: role }, rules });
  await bind(admin, { binding: role, role, user });
}

/** Lets another user read what that one may. */
export async function ensureReaderToo(admin: Client, name: string, user: string): Promise<void> {
  await bind(admin, { binding: `${name}:${user}`, role: name, user });
}

async function bind(
  admin: Client,
  { binding, role, user }: { readonly binding: string; readonly role: string; readonly user: string },
): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  await ensureObject(admin, CLUSTER_ROLE_BINDINGS, {
    metadata: { name: binding },
    subjects: [{ apiGroup, kind: 'User', name: user }],
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  });
}

/** Why what a cluster needs is written: it starts. */
export const AT_START = { cause: timedCause('binnacle', 'what a cluster starts with') };

/** Makes it where it is not there; what is there is left as it is. */
export async function ensureObject<T extends KubeObject>(
  admin: Client,
  ref: ResourceRef<T>,
  object: Draft<T>,
): Promise<void> {
  try {
    await admin.resource(ref, object.metadata.namespace).create(object, undefined, AT_START);
  } catch (error) {
    if (!status.isAlreadyExists(error)) throw error;
  }
}
