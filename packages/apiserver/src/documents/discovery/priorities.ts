/** The order in which groups and versions are shown: higher goes first (upstream's priorities of APIServices). */
export interface GroupVersionPriority {
  readonly group: number;
  readonly version: number;
}

type Versions = { readonly [version: string]: number };

/** Kubernetes' own groups (kube-apiserver v1.36). */
const BUILT_IN: { readonly [group: string]: readonly [group: number, versions: Versions] | undefined } = {
  '': [18_000, { v1: 1 }],
  // Never registered, and always first.
  'apiregistration.k8s.io': [20_000, { v1: 15 }],
  apps: [17_800, { v1: 15 }],
  'events.k8s.io': [17_750, { v1: 15 }],
  'authentication.k8s.io': [17_700, { v1: 15 }],
  'authorization.k8s.io': [17_600, { v1: 15 }],
  autoscaling: [17_500, { v2: 30, v1: 15 }],
  batch: [17_400, { v1: 15 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1beta1: 9 }],
  'networking.k8s.io': [17_200, { v1: 15 }],
  policy: [17_100, { v1: 15 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
  'storage.k8s.io': [16_800, { v1: 15 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15 }],
  'apiextensions.k8s.io': [16_700, { v1: 15 }],
  'scheduling.k8s.io': [16_600, { v1: 15 }],
  'coordination.k8s.io': [16_500, { v1: 15 }],
  'node.k8s.io': [16_300, { v1: 15 }],
  'discovery.k8s.io': [16_200, { v1: 15 }],
  'resource.k8s.io': [16_200, { v1: 21 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21 }],
};
/** Of custom kinds: their versions go by their names. */
const CUSTOM: GroupVersionPriority = { group: 1000, version: 100 };

/** Undefined for a group and version that is none of Kubernetes' own. */
export function builtInPriority(group: string, version: string): GroupVersionPriority | undefined {
  const known = Object.hasOwn(BUILT_IN, group) ? BUILT_IN[group] : undefined;
  const of = known === undefined || !Object.hasOwn(known[1], version) ? undefined : known[1][version];
  return known === undefined || of === undefined ? undefined : { group: known[0], version: of };
}

/** Of what this server serves itself. */
export function localPriority(group: string, version: string): GroupVersionPriority {
  return builtInPriority(group, version) ?? CUSTOM;
}
