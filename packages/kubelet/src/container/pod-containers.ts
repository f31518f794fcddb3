import { isSidecar } from '@binnacle/api';
import type { Container, EphemeralContainer, Pod } from '@binnacle/api/core/v1';

/** All containers of the spec; ephemeral ones have every field of a container. */
export function allContainers(pod: Pod): readonly (Container | EphemeralContainer)[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/**
 * What is left for a container of what those before it in its pod were given: init containers that are over leave theirs, and
 * whoever came behind them and runs has taken of it. Of nothing twice.
 */
export function leftFor<T>(
  { spec: { initContainers = [], containers } }: Pod,
  container: Container,
  givenTo: (name: string) => Iterable<T>,
): readonly T[] {
  const left = new Set<T>();
  for (const earlier of [...initContainers, ...containers]) {
    if (earlier === container) break;
    const isOver = initContainers.includes(earlier) && !isSidecar(earlier);
    for (const one of givenTo(earlier.name)) {
      if (isOver) left.add(one);
      else left.delete(one);
    }
  }
  return [...left];
}
