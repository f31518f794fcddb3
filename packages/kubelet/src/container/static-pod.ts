import { wellknown } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';

/** Made from a file, not an object of the API: nothing of the API may be waited for. */
export function isStatic(pod: Pod): boolean {
  const { annotations } = pod.metadata;
  const source = annotations?.[wellknown.ANNOTATION_CONFIG_SOURCE];
  return source !== undefined && source !== 'api' && annotations?.[wellknown.ANNOTATION_MIRROR] === undefined;
}

/** A pod as an object of the API: whatever its annotations say, nobody makes a static pod there. */
export function ofApi(pod: Pod): Pod {
  if (!isStatic(pod)) return pod;
  const annotations = { ...pod.metadata.annotations, [wellknown.ANNOTATION_CONFIG_SOURCE]: 'api' };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}
