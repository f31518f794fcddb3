import type { ResourceRefLike } from '../ports/reader.ts';

const CORE = [
  'namespaces',
  'nodes',
  'pods',
  'services',
  'serviceaccounts',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'persistentvolumes',
  'limitranges',
  'resourcequotas',
];
const RBAC = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];

/** Caches that stand before the server is ready, because policy reads them synchronously. The others wait for use. */
export const EAGER: readonly ResourceRefLike[] = [
  ...CORE.map((resource) => ({ group: '', resource })),
  ...RBAC.map((resource) => ({ group: 'rbac.authorization.k8s.io', resource })),
  { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
  { group: 'networking.k8s.io', resource: 'servicecidrs' },
  { group: 'networking.k8s.io', resource: 'ipaddresses' },
  { group: 'storage.k8s.io', resource: 'volumeattachments' },
  { group: 'coordination.k8s.io', resource: 'leases' },
  { group: 'policy', resource: 'poddisruptionbudgets' },
  { group: 'storage.k8s.io', resource: 'storageclasses' },
  { group: 'networking.k8s.io', resource: 'ingressclasses' },
  { group: 'node.k8s.io', resource: 'runtimeclasses' },
];
