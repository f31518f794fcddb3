/** How much of a node is taken at the most: that a pod fits is mostly known without a look at all others. */
import type { Pod } from '@binnacle/api/core/v1';
import { podRequests } from '../container/requests.ts';
import type { NodeRoom } from './admission.ts';

interface Taken {
  pods: number;
  cpu: number;
  memory: number;
  storage: number;
}

/**
 * A sum that only grows: who is let in is added, who goes is not taken away, and where that comes to more than there is the
 * pods themselves are counted. Whatever else takes room without asking has it counted anew.
 */
export class TakenRoom {
  /** Undefined: anything may be taken. */
  #taken: Taken | undefined;

  /** Whether a pod fits beside all others whoever they are; false: that is to be looked at. */
  surelyFits(pod: Pod, room: NodeRoom): boolean {
    const taken = this.#taken;
    if (taken === undefined || taken.pods + 1 > room.pods || asksForMore(pod)) return false;
    const { cpu, memory, storage } = podRequests(pod);
    return (
      (cpu === 0 || taken.cpu + cpu <= room.milliCpu) &&
      (memory === 0 || taken.memory + memory <= room.memoryBytes) &&
      (storage === 0 || taken.storage + storage <= room.ephemeralStorageBytes)
    );
  }

  /** These are all that are there. */
  count(pods: readonly Pod[]): void {
    this.#taken = { pods: 0, cpu: 0, memory: 0, storage: 0 };
    for (const pod of pods) this.add(pod);
  }

  /** One more is let in. */
  add(pod: Pod): void {
    const taken = this.#taken;
    if (taken === undefined) return;
    const { cpu, memory, storage } = podRequests(pod);
    taken.pods += 1;
    taken.cpu += cpu;
    taken.memory += memory;
    taken.storage += storage;
  }

  /** Some took room, or more of it, that is not told here. */
  forget(): void {
    this.#taken = undefined;
  }
}

const COUNTED: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Ports of the host, huge pages, what plugins bring: whether another one has it is to be looked at. */
function asksForMore({ spec, status }: Pod): boolean {
  if (status?.extendedResourceClaimStatus !== undefined || asksUncounted(spec.resources)) return true;
  for (const containers of [spec.containers, spec.initContainers ?? []]) {
    for (const { ports, resources } of containers) {
      if (asksUncounted(resources) || (ports?.some(({ hostPort }) => Boolean(hostPort)) ?? false)) return true;
    }
  }
  return false;
}

type Amounts = { readonly [resource: string]: unknown };

function asksUncounted(
  resources: { readonly requests?: Amounts | undefined; readonly limits?: Amounts | undefined } | undefined,
): boolean {
  if (resources === undefined) return false;
  for (const amounts of [resources.requests, resources.limits]) {
    for (const resource in amounts) if (!COUNTED.has(resource)) return true;
  }
  return false;
}
