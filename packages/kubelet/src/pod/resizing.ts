import { messageOf } from '@binnacle/base';
import type { Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { ContainerStatus, LinuxResources } from '@binnacle/runtime';
import { allocatedResources, effectiveResources } from '../container/labels.ts';
import { linuxResources, qosClass } from '../container/resources.ts';
import {
  type Allocation,
  WHOLE,
  allocationOf,
  asksOtherwise,
  computeOf,
  isSameCompute,
  resizable,
  withAllocation,
  withWhole,
} from '../resize/allocation.ts';
import { type Change, dueChanges, effectiveIn, takesMemory } from '../resize/change.ts';
import { readRecord, writeRecord } from '../resize/checkpoint.ts';
import type { ResizeClaim, ResizeRefusal } from '../resize/fit.ts';
import { reportedResources } from '../resize/reported.ts';
import { podRequests } from '../container/requests.ts';
import { podDirectory } from './mounts.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { ResizeSeen } from './seen.ts';
import type { PodWorld } from './world.ts';
import { ResizeError } from '../errors.ts';

interface Progress {
  /** Of the definition that was granted. */
  readonly generation: number;
  readonly error?: string;
}

/**
 * The resources of one pod whose definition asks, or has asked, for others than its containers were made with:
 *
 *     asked for ──(fits beside the others)──▶ given ──(the runtime, or a new container)──▶ had
 *         └─(does not)─▶ PodResizePending        └──────────── PodResizeInProgress ───────┘
 */
export class PodResizing {
  readonly #world: PodWorld;
  #allocation: Allocation;
  /** What the pod's group was last set to, where the pod has resources as a whole. */
  #whole: ResourceRequirements | undefined;
  /** By container id, where it is something else than the container was made with. */
  readonly #actuated = new Map<string, ResourceRequirements>();
  /** By container id: what the runtime says, since it was changed. */
  readonly #actual = new Map<string, LinuxResources>();
  #pending: (ResizeRefusal & { readonly since: number; readonly generation: number }) | undefined;
  #progress: Progress | undefined;
  #unsaved = false;

  constructor(world: PodWorld, allocation: Allocation) {
    this.#world = world;
    this.#allocation = allocation;
    this.#whole = allocation.get(WHOLE);
  }

  /** What a kubelet finds that starts again; undefined: the pod's containers have what it asks for. */
  static async recall(world: PodWorld, pod: Pod, view: RuntimeView): Promise<PodResizing | undefined> {
    const record = world.files === undefined ? undefined : await readRecord(world.files, recordPath(world, pod));
    // A record may be older than what it tells of.
    const allocation = new Map([...madeWith(pod, view), ...(record?.allocation ?? [])]);
    if (record === undefined && !asksOtherwise(pod, allocation)) return undefined;
    const found = new PodResizing(world, allocation);
    for (const [id, resources] of record?.actuated ?? []) if (view.has(id)) found.#actuated.set(id, resources);
    found.#whole = record?.actuated.get(WHOLE) ?? pod.status?.resources ?? found.#whole;
    for (const id of found.#actuated.keys()) await found.#readBack(id);
    const given = found.given(pod);
    if (found.#isWholeDue(given) || found.#due(given, view).length > 0)
      found.#progress = { generation: grantedGeneration(pod) };
    return found;
  }

  /** The pod with what its containers were given. */
  given(pod: Pod): Pod {
    return withAllocation(pod, this.#allocation);
  }

  /** The resize that waits for room. */
  claim(asked: Pod): ResizeClaim | undefined {
    if (this.#pending?.reason !== 'Deferred') return undefined;
    const [before, wanted] = [podRequests(this.given(asked)), podRequests(asked)];
    return {
      grows: wanted.cpu > before.cpu || wanted.memory > before.memory,
      priority: asked.spec.priority ?? 0,
      isGuaranteed: qosClass(asked) === 'Guaranteed',
      since: this.#pending.since,
    };
  }

  /** Gives what is asked for where it fits, or says why not. Answers whether something else is given now. */
  decide(asked: Pod): boolean {
    if (!asksOtherwise(asked, this.#allocation)) {
      this.#pending = undefined;
      return false;
    }
    const refusal = this.#world.refuseResize(asked);
    if (refusal !== undefined) {
      this.#wait(asked, refusal);
      return false;
    }
    this.#allocation = allocationOf(asked);
    this.#pending = undefined;
    this.#progress = { generation: asked.metadata.generation ?? 0 };
    this.#unsaved = true;
    this.#say(asked, { type: 'Normal', reason: 'ResizeStarted', what: 'started' });
    return true;
  }

  seen(pod: Pod, view: RuntimeView): ResizeSeen {
    const restarts = this.#due(pod, view).filter((change) => change.restarts);
    return {
      ...(this.#pending === undefined ? {} : { pending: this.#pending }),
      ...(this.#progress === undefined ? {} : { progress: this.#progress }),
      restarts: new Set(restarts.map((change) => change.id)),
      reported: (container, resources) => this.#reported(pod, container, resources),
      whole: this.#whole,
    };
  }

  /** Changes containers as they run. Those that have to be made anew find room in the pod's group then. */
  async actuate(pod: Pod, view: RuntimeView): Promise<void> {
    for (const id of this.#actuated.keys()) if (!view.has(id)) this.#forget(id);
    if (this.#unsaved) await this.#save(pod);
    const changes = this.#due(pod, view);
    if (changes.length === 0) return;
    try {
      const live = changes.filter((change) => !change.restarts);
      await this.#checkWhole(pod, view);
      await this.#checkMemory(live);
      await this.#world.groups.grow(pod);
      for (const change of live) await this.#change(pod, change);
      await this.#save(pod);
    } catch (error) {
      this.#fail(pod, messageOf(error));
    }
  }

  /** Ends the resize when every container that runs has what it was given. Answers whether it is to be tried again. */
  async settle(pod: Pod, view: RuntimeView): Promise<'again' | 'settled'> {
    if (this.#progress === undefined) return 'settled';
    if (this.#due(pod, view).length > 0) return 'again';
    try {
      await this.#checkWhole(pod, view);
      await this.#world.groups.apply(pod);
      const { resources } = pod.spec;
      if (resources !== undefined) {
        this.#whole = resources;
        await this.#save(pod);
      }
    } catch (error) {
      this.#fail(pod, messageOf(error));
      return 'again';
    }
    this.#progress = undefined;
    this.#say(pod, { type: 'Normal', reason: 'ResizeCompleted', what: 'completed' });
    return 'settled';
  }

  #due(pod: Pod, view: RuntimeView): readonly Change[] {
    return dueChanges(pod, newest(view.containers), (container) => this.#had(container));
  }

  /** What it was last told to have. */
  #had({ id, annotations }: ContainerStatus): ResourceRequirements {
    return this.#actuated.get(id) ?? effectiveResources(annotations);
  }

  #reported(pod: Pod, container: ContainerStatus, given: ResourceRequirements): ResourceRequirements {
    const spec = resizable(pod).find((one) => one.name === container.name);
    if (spec === undefined) return given;
    const { memoryBytes } = this.#world.machine;
    const actual =
      this.#actual.get(container.id) ?? linuxResources(pod, { ...spec, resources: this.#had(container) }, memoryBytes);
    return reportedResources(given, actual);
  }

  async #change(pod: Pod, { id, container }: Change): Promise<void> {
    const { runtime, machine } = this.#world;
    await runtime.updateResources(id, linuxResources(pod, container, machine.memoryBytes));
    this.#actuated.set(id, effectiveIn(pod, container));
    await this.#readBack(id);
  }

  #forget(id: string): void {
    this.#actuated.delete(id);
    this.#actual.delete(id);
  }

  async #readBack(id: string): Promise<void> {
    this.#actual.set(id, await this.#world.runtime.containerResources(id));
  }

  /** Whether the pod as a whole has something else than it was given. */
  #isWholeDue({ spec }: Pod): boolean {
    return spec.resources !== undefined && !isSameCompute(spec.resources, this.#whole);
  }

  /** The same of the pod as a whole as of each container. */
  async #checkWhole(pod: Pod, view: RuntimeView): Promise<void> {
    const [from, to] = [computeOf(this.#whole), computeOf(pod.spec.resources)];
    if (!takesMemory({ from, to })) return;
    const running = view.containers.filter(({ state }) => state === 'running').map(({ id }) => id);
    if (running.length === 0) return;
    let used = 0;
    const stats = await this.#world.runtime.stats(running);
    if (stats.length < running.length || stats.some(({ memoryUsageBytes }) => memoryUsageBytes === undefined))
      throw new ResizeError('cannot decrease memory limits: missing pod memory usage');
    for (const { memoryUsageBytes } of stats) used += memoryUsageBytes ?? 0;
    if (used < to.memoryLimit) return;
    throw new ResizeError(
      `cannot decrease memory limits: attempting to set pod memory limit (${to.memoryLimit}) below current usage (${used})`,
    );
  }

  /** A limit below what is used already would have the kernel kill something. */
  async #checkMemory(changes: readonly Change[]): Promise<void> {
    const taking = changes.filter(takesMemory);
    if (taking.length === 0) return;
    const stats = new Map((await this.#world.runtime.stats(taking.map((c) => c.id))).map((one) => [one.id, one]));
    const faults = taking.flatMap(({ id, container, to }) => {
      const used = stats.get(id)?.memoryUsageBytes;
      if (used === undefined) return [`missing container "${container.name}" memory usage`];
      if (used < to.memoryLimit) return [];
      return [
        `attempting to set container "${container.name}" memory limit (${to.memoryLimit}) below current usage (${used})`,
      ];
    });
    if (faults.length === 0) return;
    const all = faults.length === 1 ? faults.join() : `[${faults.join(', ')}]`;
    throw new ResizeError(`cannot decrease memory limits: ${all}`);
  }

  #wait(asked: Pod, refusal: ResizeRefusal): void {
    const generation = asked.metadata.generation ?? 0;
    const before = this.#pending;
    const since = before?.since ?? this.#world.clock.now();
    this.#pending = { ...refusal, since, generation };
    // Of a container whose turn has not come, nothing else tells a later kubelet what it is to have.
    this.#unsaved ||= before === undefined;
    if (before?.reason === refusal.reason && before.generation === generation) return;
    this.#say(asked, {
      type: 'Warning',
      reason: `Resize${refusal.reason}`,
      what: refusal.reason,
      error: refusal.message,
    });
  }

  #fail(pod: Pod, error: string): void {
    const before = this.#progress;
    this.#progress = { generation: before?.generation ?? pod.metadata.generation ?? 0, error };
    if (before?.error !== error) this.#say(pod, { type: 'Warning', reason: 'ResizeError', what: 'error', error });
  }

  /** In the form that upstream gives such events: what is meant, as JSON. */
  #say(
    pod: Pod,
    of: {
      readonly type: 'Normal' | 'Warning';
      readonly reason: string;
      readonly what: string;
      readonly error?: string;
    },
  ): void {
    const named = (list: typeof pod.spec.containers): object[] =>
      list.map(({ name, resources }) => ({ name, resources: resources ?? {} }));
    const summary = {
      ...(pod.spec.resources === undefined ? {} : { resources: pod.spec.resources }),
      ...(pod.spec.initContainers?.length ? { initContainers: named(pod.spec.initContainers) } : {}),
      containers: named(pod.spec.containers),
      generation: pod.metadata.generation ?? 0,
      ...(of.error === undefined ? {} : { error: of.error }),
    };
    this.#world.events.pod(pod, of.type, {
      reason: of.reason,
      message: `Pod resize ${of.what}: ${JSON.stringify(summary)}`,
    });
  }

  async #save(pod: Pod): Promise<void> {
    this.#unsaved = false;
    const { files } = this.#world;
    if (files === undefined) return;
    const whole = this.#whole;
    const record = { allocation: this.#allocation, actuated: withWhole([...this.#actuated], whole) };
    try {
      await writeRecord(files, recordPath(this.#world, pod), record);
    } catch (error) {
      // The next look tries again: a disk that is full may have room then.
      this.#unsaved = true;
      throw error;
    }
  }
}

function recordPath(world: PodWorld, pod: Pod): string {
  return `${podDirectory(world, pod)}/resources.json`;
}

/** What containers were made with; what was never made is given what is asked for. */
function madeWith(pod: Pod, view: RuntimeView): Allocation {
  const made = newest(view.containers);
  const containers = resizable(pod).map((container) => {
    const status = made.find((one) => one.name === container.name);
    const own = status === undefined ? (container.resources ?? {}) : allocatedResources(status.annotations);
    return [container.name, own] as const;
  });
  // Nothing of the runtime's tells of the pod as a whole; who was here before has told the API.
  return withWhole(containers, pod.status?.resources ?? pod.spec.resources);
}

/** Of each name the newest one; they come newest first. */
function newest(containers: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const names = new Set<string>();
  return containers.filter(({ name }) => !names.has(name) && names.add(name) !== undefined);
}

function grantedGeneration({ metadata, status }: Pod): number {
  const told = status?.conditions?.find((condition) => condition.type === 'PodResizeInProgress');
  return told?.observedGeneration ?? metadata.generation ?? 0;
}
