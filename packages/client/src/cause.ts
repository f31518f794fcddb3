import type { Cause } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';

/**
 * Why a component writes, when nobody handed it a reason: the version of an object that it saw (law 11). Whoever asks
 * the API server for the cause of that revision comes to the request behind it.
 */
export function observedCause(component: string, object: KubeObject, request: string): Cause {
  const { namespace = '', name = '', resourceVersion = '' } = object.metadata;
  return {
    id: `${component}/${namespace}/${name}@${resourceVersion}`,
    component,
    request,
    ...(resourceVersion === '' ? {} : { revision: resourceVersion }),
  };
}

/** Why a component writes because it is time to: a heartbeat, a token that runs out. */
export function timedCause(component: string, request: string): Cause {
  return { id: `${component}/${request}`, component, request };
}
