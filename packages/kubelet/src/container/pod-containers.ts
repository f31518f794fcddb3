import type { Container, EphemeralContainer, Pod } from '@binnacle/api/core/v1';

/** All containers of the spec; ephemeral ones have every field of a container. */
export function allContainers(pod: Pod): readonly (Container | EphemeralContainer)[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/** An init container that goes on beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}
