import { wellknown } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';

/** Made from a file, not an object of the API: nothing of the API may be waited for. */
export function isStatic(pod: Pod): boolean {
  const { annotations } = pod.metadata;
  const source = annotations?.[wellknown.ANNOTATION_CONFIG_SOURCE];
  return source !== undefined && source !== 'api' && annotations?.[wellknown.ANNOTATION_MIRROR] === undefined;
}
