import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, INGRESS_CLASSES } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { CONTROLLER } from '@binnacle/ingress';
import type { UserInfo } from '@binnacle/machinery';
import { ensureObject } from './reader-roles.ts';

const ROLE = 'system:binnacle-ingress';
const CLASS = 'binnacle';
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

/** The Ingress controller, to the API server. */
export const INGRESS: UserInfo = { name: ROLE, groups: ['system:authenticated'] };

const FOLLOW = ['get', 'list', 'watch'];
const RULES = [
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: FOLLOW },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update'] },
  { apiGroups: [''], resources: ['services', 'secrets'], verbs: FOLLOW },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: FOLLOW },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
];

/** The class `binnacle`, the default one unless another is, and what its controller may do; what is there is left as it is. */
export async function ensureIngressObjects(admin: Client): Promise<void> {
  await ensureObject(admin, CLUSTER_ROLES, { metadata: { name: ROLE }, rules: RULES });
  await ensureObject(admin, CLUSTER_ROLE_BINDINGS, {
    metadata: { name: ROLE },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: ROLE }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE },
  });
  const { items } = await admin.resource(INGRESS_CLASSES).list();
  const hasDefault = items.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
  await ensureObject(admin, INGRESS_CLASSES, {
    metadata: { name: CLASS, annotations: { [DEFAULT_CLASS]: hasDefault ? 'false' : 'true' } },
    spec: { controller: CONTROLLER },
  });
}
