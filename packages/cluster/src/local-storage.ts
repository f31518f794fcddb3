import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, STORAGE_CLASSES, wellknown } from '@binnacle/api';
import type { Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { PROVISIONER, startLocalPath } from '@binnacle/local-path';
import type { Directories } from '@binnacle/local-path';
import type { UserInfo } from '@binnacle/machinery';
import { ADMIN } from './identities.ts';
import { ensureObject } from './reader-roles.ts';
import type { World } from './world.ts';

const ROLE = 'system:binnacle-local-path';
const CLASS = 'local-path';
const DEFAULT_CLASS = wellknown.ANNOTATION_DEFAULT_CLASS;

/** The provisioner, to the API server. */
const LOCAL_PATH: UserInfo = { name: ROLE, groups: ['system:authenticated'] };

/** Whose directories are made, where. */
export interface LocalStorageOptions {
  readonly clientAs: (user: UserInfo) => Client;
  readonly world: World;
  readonly scope: Scope;
  /** The folder of volumes on the node, absolute. */
  readonly root: string;
  readonly isOurNode: (name: string) => boolean;
  /** Absent: nothing is put on disk (simulated nodes). */
  readonly directories?: Directories;
}

/**
 * Claims get directories of the nodes: the provisioner runs, and a class `local-path` is there, the default one unless
 * another is. What is there of class, role and binding is left as it is.
 */
export async function startLocalStorage(options: LocalStorageOptions): Promise<void> {
  const { clientAs, world, scope, ...rest } = options;
  await ensureObjects(clientAs(ADMIN));
  const log = world.log.named('local-path');
  startLocalPath({ ...rest, client: clientAs(LOCAL_PATH), world: { ...world, log }, scope: scope.child('local-path') });
}

async function ensureObjects(admin: Client): Promise<void> {
  await ensureObject(admin, CLUSTER_ROLES, { metadata: { name: ROLE }, rules: RULES });
  await ensureObject(admin, CLUSTER_ROLE_BINDINGS, {
    metadata: { name: ROLE },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: ROLE }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE },
  });
  const { items } = await admin.resource(STORAGE_CLASSES).list();
  const hasDefault = items.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
  await ensureObject(admin, STORAGE_CLASSES, {
    metadata: { name: CLASS, annotations: { [DEFAULT_CLASS]: hasDefault ? 'false' : 'true' } },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  });
}

const FOLLOW = ['get', 'list', 'watch'];
const RULES = [
  { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...FOLLOW, 'create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...FOLLOW, 'update'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['update'] },
  { apiGroups: [''], resources: ['nodes'], verbs: FOLLOW },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: FOLLOW },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
];
