import type { Resource } from '../api/discovery.ts';
import type { Rights } from '../rights/use-rights.ts';
import type { Texts } from '../texts/english.ts';

/** Where a kind stands in the menu. */
export type KindGroup = keyof Pick<
  Texts,
  'workloads' | 'network' | 'storage' | 'configuration' | 'access' | 'cluster' | 'custom' | 'others'
>;

/** In the order of the menu. */
const ORDER: readonly KindGroup[] = [
  'workloads',
  'network',
  'storage',
  'configuration',
  'access',
  'cluster',
  'custom',
  'others',
];

/** By the API's groups; every kind of a group that is not here stands among the custom ones. */
const BY_GROUP: { readonly [group: string]: KindGroup } = {
  apps: 'workloads',
  batch: 'workloads',
  autoscaling: 'workloads',
  policy: 'workloads',
  'networking.k8s.io': 'network',
  'discovery.k8s.io': 'network',
  'storage.k8s.io': 'storage',
  'rbac.authorization.k8s.io': 'access',
  'certificates.k8s.io': 'access',
  'admissionregistration.k8s.io': 'cluster',
  'apiextensions.k8s.io': 'cluster',
  'apiregistration.k8s.io': 'cluster',
  'coordination.k8s.io': 'cluster',
  'events.k8s.io': 'cluster',
  'flowcontrol.apiserver.k8s.io': 'cluster',
  'node.k8s.io': 'cluster',
  'resource.k8s.io': 'cluster',
  'scheduling.k8s.io': 'cluster',
  'trace.binnacle.dev': 'others',
  'metrics.k8s.io': 'others',
};
/** Of the core group, which has some of everything. */
const OF_CORE: { readonly [resource: string]: KindGroup } = {
  pods: 'workloads',
  replicationcontrollers: 'workloads',
  podtemplates: 'workloads',
  services: 'network',
  endpoints: 'network',
  persistentvolumes: 'storage',
  persistentvolumeclaims: 'storage',
  configmaps: 'configuration',
  secrets: 'configuration',
  limitranges: 'configuration',
  resourcequotas: 'configuration',
  serviceaccounts: 'access',
};

/** The menu: every kind that discovery shows, whatever it is. */
export function groupKinds(
  resources: readonly Resource[],
): readonly { readonly group: KindGroup; readonly resources: readonly Resource[] }[] {
  const byGroup = Map.groupBy(resources, groupOf);
  return ORDER.flatMap((group) => {
    const found = byGroup.get(group);
    return found === undefined ? [] : [{ group, resources: found.toSorted((a, b) => a.kind.localeCompare(b.kind)) }];
  });
}

function groupOf({ group, resource }: Resource): KindGroup {
  if (group === '') return Object.hasOwn(OF_CORE, resource) ? (OF_CORE[resource] ?? 'cluster') : 'cluster';
  return Object.hasOwn(BY_GROUP, group) ? (BY_GROUP[group] ?? 'others') : 'custom';
}

/**
 * Whether the menu offers a kind to who looks at a namespace (empty: at all of them) and has these rights there: what he may not
 * list is left out. Over all namespaces every kind that is in one stands: he may list it in some of them.
 */
export function isOffered({ group, resource, namespaced }: Resource, namespace: string, rights: Rights): boolean {
  return (namespaced && namespace === '') || rights({ verb: 'list', group, resource });
}
