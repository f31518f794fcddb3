/**
 * What the containers of a pod have been given. A pod's definition says what is wanted; while a change of it waits for
 * room, or for the runtime, its containers have something else. (KEP-1287.)
 */
import type { Container, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from '../container/amount.ts';

/** By the name of the container; what was given to the pod as a whole under `WHOLE`. */
export type Allocation = ReadonlyMap<string, ResourceRequirements>;

/** What can be resized, in thousandths of a CPU and in bytes; 0: not set. */
export interface Compute {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
}

/** No container has this name. */
export const WHOLE = '';

const NOTHING: ResourceRequirements = Object.freeze({});

/** The amounts of what can be resized. */
export function computeOf(resources: ResourceRequirements | undefined): Compute {
  const { requests = {}, limits = {} } = resources ?? {};
  return {
    cpuRequest: milliValue(requests['cpu']),
    cpuLimit: milliValue(limits['cpu']),
    memoryRequest: wholeValue(requests['memory']),
    memoryLimit: wholeValue(limits['memory']),
  };
}

/** Whether two amounts are the same, however they are written. */
export function isSameCompute(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  const [one, other] = [computeOf(a), computeOf(b)];
  return (
    one.cpuRequest === other.cpuRequest &&
    one.cpuLimit === other.cpuLimit &&
    one.memoryRequest === other.memoryRequest &&
    one.memoryLimit === other.memoryLimit
  );
}

/** What the definition asks for. */
export function allocationOf(pod: Pod): Allocation {
  return withWhole(
    resizable(pod).map((container) => [container.name, container.resources ?? NOTHING]),
    pod.spec.resources,
  );
}

/** What its containers were given, and the pod as a whole. */
export function withWhole(
  containers: readonly (readonly [string, ResourceRequirements])[],
  whole: ResourceRequirements | undefined,
): Allocation {
  return new Map(whole === undefined ? containers : [...containers, [WHOLE, whole]]);
}

/** Whether the definition asks for something else than what was given. */
export function asksOtherwise(pod: Pod, allocation: Allocation): boolean {
  if (!isSameCompute(pod.spec.resources, allocation.get(WHOLE))) return true;
  return resizable(pod).some(({ name, resources }) => !isSameCompute(resources, allocation.get(name) ?? resources));
}

/** The pod with what its containers were given in place of what they ask for. */
export function withAllocation(pod: Pod, allocation: Allocation): Pod {
  const given = (container: Container): Container => {
    const resources = allocation.get(container.name);
    return resources === undefined || resources === container.resources ? container : { ...container, resources };
  };
  const { resources: _asked, ...spec } = pod.spec;
  const { containers, initContainers } = spec;
  const whole = allocation.get(WHOLE);
  return {
    ...pod,
    spec: {
      ...spec,
      ...(whole === undefined ? {} : { resources: whole }),
      containers: containers.map(given),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(given) }),
    },
  };
}

/**
 * The containers of a pod that can be resized: all but ephemeral ones. An init container that has ended has nothing to be
 * changed, one whose turn has not come is made with what it was given.
 */
export function resizable({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}
