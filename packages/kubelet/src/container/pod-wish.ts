import { isSidecar } from '@binnacle/api';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { wholeValue } from './amount.ts';

/** Amounts by resource. */
type Wish = ReadonlyMap<string, number>;

/** What a pod needs at the most at any time: all that run together, or an init container beside the sidecars before it. Pure. */
export function podWish(pod: Pod, wishOf: (container: Container) => Wish): Wish {
  const together = new Map<string, number>();
  const add = (to: Map<string, number>, wish: Wish): void => {
    for (const [name, bytes] of wish) to.set(name, (to.get(name) ?? 0) + bytes);
  };
  const peaks = new Map<string, number>();
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) {
      add(together, wishOf(container));
      continue;
    }
    for (const [name, bytes] of wishOf(container)) {
      peaks.set(name, Math.max(peaks.get(name) ?? 0, (together.get(name) ?? 0) + bytes));
    }
  }
  for (const container of pod.spec.containers) add(together, wishOf(container));
  for (const [name, bytes] of peaks) together.set(name, Math.max(together.get(name) ?? 0, bytes));
  return together;
}

/** What a pod may use of huge pages of one size (`hugepages-2Mi`), in bytes: that of the pod as a whole goes before that of its containers. */
export function hugePagesOfPod(pod: Pod, resource: string): number {
  const own = pod.spec.resources?.limits?.[resource];
  if (own !== undefined) return wholeValue(own);
  return (
    podWish(pod, ({ resources }) => new Map([[resource, wholeValue(resources?.limits?.[resource])]])).get(resource) ?? 0
  );
}
