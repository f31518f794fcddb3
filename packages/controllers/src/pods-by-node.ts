import type { Pod } from '@binnacle/api/core/v1';

/** Index of pods: by the node they are bound to. */
export const BY_NODE = 'node';

/** The declaration of that index. */
export const PODS_BY_NODE: { readonly [name: string]: (pod: Pod) => readonly string[] } = {
  [BY_NODE]: ({ spec }) => (spec.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName]),
};
