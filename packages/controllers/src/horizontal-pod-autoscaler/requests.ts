import { isSidecar } from '@binnacle/api';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { memberOf, quantityMilliValue } from '@binnacle/machinery';
import type { Refused } from './proposals.ts';

/**
 * What each pod requests of a resource, milli-units by its name: of one container, of the pod where it says so as a
 * whole, or of all its containers. Refused where somebody does not say.
 */
export function requestsOf(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> | Refused {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const { name = '' } = pod.metadata;
    const whole = pod.spec.resources?.requests;
    if (container === undefined && whole !== undefined && Object.keys(whole).length > 0) {
      const quantity = memberOf(whole, resource);
      if (quantity === undefined) return { refused: `missing pod-level request for ${resource} in Pod ${name}` };
      requests.set(name, quantityMilliValue(quantity));
      continue;
    }
    let sum = 0;
    for (const one of containersOf(pod)) {
      if (container !== undefined && one.name !== container) continue;
      const quantity = memberOf(one.resources?.requests ?? {}, resource);
      if (quantity === undefined) {
        return { refused: `missing request for ${resource} in container ${one.name} of Pod ${name}` };
      }
      sum += quantityMilliValue(quantity);
    }
    requests.set(name, sum);
  }
  return requests;
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
}
