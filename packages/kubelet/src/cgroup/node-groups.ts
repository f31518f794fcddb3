import { coalesced } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { cgroupParent, cpuShares } from '../container/resources.ts';
import type { GroupValues, Machine } from '../ports.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import { UNLIMITED, burstableShares, envelope, podGroupValues } from './group-values.ts';

/** What the control groups of a node are made from. */
export interface NodeGroupsOptions {
  readonly machine: Machine;
  /** The group of all pods, such as `/kubepods`. */
  readonly root: string;
  readonly allocatable: NodeAllocatable;
  /** What all pods together may use: all of the machine's but what is reserved by name. */
  readonly memoryBytes: number;
  /** Processes of a pod; absent or -1: any number. */
  readonly processesMax?: number;
  /** The pods that have a place here. */
  readonly pods: () => readonly Pod[];
  /** Where some container of a pod has CPUs for itself, no quota is in its way. */
  readonly cpus?: { holds(podUid: string): boolean } | undefined;
  readonly log: Logger;
}

const BEST_EFFORT_SHARES = 2;

/**
 * The control groups of a node's pods: all of them in one, those that burst and those that asked for nothing in one each
 * below it, and a group for each pod. The runtime makes a pod's group; its weight and limits are given here.
 */
export class NodeGroups {
  readonly #options: NodeGroupsOptions;
  /** What each pod's group was last set to, by UID. */
  readonly #applied = new Map<string, Required<GroupValues>>();
  readonly #refreshing = coalesced(() => this.#writeClasses());
  /** Why pods could not be held to what they may have together, the last time. */
  #trouble: unknown;

  constructor(options: NodeGroupsOptions) {
    this.#options = options;
  }

  /** Gives a pod's group what its containers were given, and its class the weight of all of them. */
  async apply(pod: Pod): Promise<void> {
    await this.#set(pod, this.#valuesOf(pod));
    await this.refresh();
  }

  /** Lets a pod's group grow to what its containers were given; it does not shrink yet. */
  async grow(pod: Pod): Promise<void> {
    const wanted = this.#valuesOf(pod);
    const had = this.#applied.get(pod.metadata.uid ?? '');
    await this.#set(pod, had === undefined ? wanted : envelope(had, wanted));
  }

  /** A pod has gone. */
  async forget(pod: Pod): Promise<void> {
    if (this.#applied.delete(pod.metadata.uid ?? '')) await this.refresh();
  }

  /** Holds all pods to what they may have together. Throws where they cannot be, as they have more. */
  async enforce(): Promise<void> {
    await this.refresh();
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** The groups of all pods and of the classes. One at a time; those who come meanwhile are served by one more. */
  refresh(): Promise<void> {
    return this.#options.machine.setCgroup === undefined ? Promise.resolve() : this.#refreshing();
  }

  #valuesOf(pod: Pod): Required<GroupValues> {
    const values = podGroupValues(pod, this.#options.processesMax, this.#options.machine.hugePages);
    return this.#options.cpus?.holds(pod.metadata.uid ?? '') === true ? { ...values, cpuQuotaUs: UNLIMITED } : values;
  }

  async #set(pod: Pod, values: Required<GroupValues>): Promise<void> {
    const { machine, root, log } = this.#options;
    if (machine.setCgroup === undefined) return;
    await machine.setCgroup(cgroupParent(root, pod), values);
    this.#applied.set(pod.metadata.uid ?? '', values);
    const { namespace = '', name = '' } = pod.metadata;
    log.info(4, 'Control group of a pod is set', { pod: `${namespace}/${name}`, ...values });
  }

  async #writeClasses(): Promise<void> {
    const { machine, root, allocatable, pods } = this.#options;
    await machine.setCgroup?.(root, { cpuShares: cpuShares(allocatable.milliCpu) });
    await this.#limitMemory();
    await machine.setCgroup?.(`${root}/besteffort`, { cpuShares: BEST_EFFORT_SHARES });
    await machine.setCgroup?.(`${root}/burstable`, { cpuShares: burstableShares(pods()) });
  }

  /** Pods that have more already cannot be held to it, and are not held up: it is tried again with the next of them. */
  async #limitMemory(): Promise<void> {
    const { machine, root, memoryBytes, log } = this.#options;
    this.#trouble = undefined;
    try {
      await machine.setCgroup?.(root, { memoryLimitBytes: memoryBytes });
    } catch (error) {
      this.#trouble = error;
      log.error(error, 'Failed to enforce what pods may use together', { root, memoryBytes });
    }
  }
}
