import type { Pod } from '../../generated/core-v1.ts';

/** Field selectors of pods. */
export const POD_FIELDS: { readonly [label: string]: (pod: Pod) => string } = {
  'spec.nodeName': (pod) => pod.spec?.nodeName ?? '',
  // The name that Kubernetes 1.0 gave it; upstream still translates it.
  'spec.host': (pod) => pod.spec?.nodeName ?? '',
  'spec.restartPolicy': (pod) => pod.spec?.restartPolicy ?? '',
  'spec.schedulerName': (pod) => pod.spec?.schedulerName ?? '',
  'spec.serviceAccountName': (pod) => pod.spec?.serviceAccountName ?? '',
  'spec.hostNetwork': (pod) => String(pod.spec?.hostNetwork ?? false),
  'status.phase': (pod) => pod.status?.phase ?? '',
  'status.podIP': (pod) => pod.status?.podIP ?? pod.status?.podIPs?.[0]?.ip ?? '',
  'status.podIPs': (pod) => (pod.status?.podIPs ?? []).map((entry) => entry.ip).join(','),
  'status.nominatedNodeName': (pod) => pod.status?.nominatedNodeName ?? '',
};
