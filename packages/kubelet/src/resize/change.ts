/** What has to be done for a running container to have what it was given. Pure. */
import { isSidecar } from '@binnacle/api';
import type { Container, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { inheritedLimits } from '../container/resources.ts';
import { type Compute, computeOf, isSameCompute, resizable } from './allocation.ts';

/** A container that has something else than it was given. */
export interface Change {
  readonly id: string;
  readonly container: Container;
  /** Its own policy: a new container in its place. Else it is changed as it runs, as what ends by itself always is. */
  readonly restarts: boolean;
  readonly from: Compute;
  readonly to: Compute;
}

/**
 * The changes that running containers are due, also by a limit of their pod, what shrinks first: it makes room for what
 * grows. `has`: what a container was last told to have, with limits of its pod.
 */
export function dueChanges(
  pod: Pod,
  running: readonly ContainerStatus[],
  has: (container: ContainerStatus) => ResourceRequirements,
): readonly Change[] {
  const changes: Change[] = [];
  for (const container of resizable(pod)) {
    const status = running.find((one) => one.name === container.name && one.state === 'running');
    if (status === undefined) continue;
    const had = has(status);
    const wanted = effectiveIn(pod, container);
    if (isSameCompute(had, wanted)) continue;
    const [from, to] = [computeOf(had), computeOf(wanted)];
    const endsItself = pod.spec.initContainers?.includes(container) === true && !isSidecar(container);
    changes.push({ id: status.id, container, restarts: !endsItself && restarts(container, from, to), from, to });
  }
  return changes.toSorted((a, b) => growth(a) - growth(b));
}

/** What a container asks for, and the limits that it has of its pod. */
export function effectiveIn(pod: Pod, container: Container): ResourceRequirements {
  const { resources } = container;
  return { ...resources, limits: { ...inheritedLimits(pod, container), ...resources?.limits } };
}

function restarts(container: Container, from: Compute, to: Compute): boolean {
  const changed = {
    cpu: from.cpuRequest !== to.cpuRequest || from.cpuLimit !== to.cpuLimit,
    memory: from.memoryRequest !== to.memoryRequest || from.memoryLimit !== to.memoryLimit,
  };
  return (container.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      ((resourceName === 'cpu' && changed.cpu) || (resourceName === 'memory' && changed.memory)),
  );
}

function growth({ from, to }: Change): number {
  return Math.sign(to.memoryLimit - from.memoryLimit) + Math.sign(to.cpuLimit - from.cpuLimit);
}

/** Whether less memory is left to it than before: what it uses already may not fit. */
export function takesMemory({ from, to }: Pick<Change, 'from' | 'to'>): boolean {
  return to.memoryLimit > 0 && (from.memoryLimit === 0 || to.memoryLimit < from.memoryLimit);
}
