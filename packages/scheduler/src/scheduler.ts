import { getPodCondition, isPodTerminal, NODES, PODS } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { Scope } from '@binnacle/base';
import { assert, formatTime } from '@binnacle/base';
import { createEventRecorder, createInformer } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { runBindCycle } from './bind-cycle.ts';
import type { ClusterEvent, Profile, QueuedPod } from './framework.ts';
import { ClusterState } from './plan/cluster-state.ts';
import { decide, Scratch } from './plan/decide.ts';
import type { Placement, Unplaced } from './plan/decide.ts';
import { demandOf } from './plan/demand.ts';
import type { PodDemand } from './plan/demand.ts';
import { explain, ExplanationLog } from './plan/explanation.ts';
import type { Explanation } from './plan/explanation.ts';
import { defaultProfile, eventWakes } from './profile.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';

/** How many bindings may be on their way at once. */
const BINDINGS_IN_FLIGHT_MAX = 512;
/** The loop hands the turn back after this long, so that watch events and replies get theirs. */
const SLICE_MS_MAX = 5;
const EXPLANATIONS_KEPT = 1_000;

/** What a scheduler needs. */
export interface SchedulerOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  /** The scheduler stops with it. */
  readonly scope: Scope;
  /** One per `schedulerName`; the default profile when absent. */
  readonly profiles?: readonly Profile[];
}

/** A running scheduler. */
export interface SchedulerHandle {
  /** Resolves once nodes and pods are known and scheduling goes on. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** Why the pod (`namespace/name`) went where it went, or nowhere; the latest 1,000 are kept. */
  explain(pod: string): Explanation | undefined;
  readonly waiting: { readonly active: number; readonly backoff: number; readonly unschedulable: number };
}

/** Starts a scheduler: it binds the pods that name one of its profiles, and no others. */
export function startScheduler(options: SchedulerOptions): SchedulerHandle {
  const scheduler = new Scheduler(options);
  scheduler.start();
  return scheduler;
}

class Scheduler implements SchedulerHandle {
  readonly #client: Client;
  readonly #world: ClientWorld;
  readonly #scope: Scope;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #recorders: ReadonlyMap<string, EventRecorder>;
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #scratch = new Scratch();
  readonly #explanations = new ExplanationLog(EXPLANATIONS_KEPT);
  readonly #ready = Promise.withResolvers<void>();
  #running = false;
  #looping = false;
  #inFlight = 0;

  constructor(options: SchedulerOptions) {
    this.#client = options.client;
    this.#world = options.world;
    this.#scope = options.scope;
    const profiles = options.profiles ?? [defaultProfile()];
    this.#profiles = new Map(profiles.map((p) => [p.schedulerName, p]));
    this.#recorders = new Map(
      profiles.map((p) => [
        p.schedulerName,
        createEventRecorder({
          client: options.client,
          world: options.world,
          scope: options.scope,
          component: p.schedulerName,
        }),
      ]),
    );
    const sorter = profiles[0]?.plugins.find((p) => p.queueSort !== undefined);
    assert(sorter?.queueSort !== undefined, 'a profile needs a plugin with queueSort');
    const sort = sorter.queueSort.bind(sorter);
    this.#queue = new SchedulingQueue({
      clock: options.world.clock,
      sort,
      wakes: (event, refusedBy) => profiles.some((p) => eventWakes(p, event, refusedBy)),
      onReady: () => this.#kick(),
    });
  }

  get waiting(): SchedulerHandle['waiting'] {
    return this.#queue.lengths;
  }

  whenReady(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener('abort', () => this.#ready.reject(signal.reason), { once: true });
    return this.#ready.promise;
  }

  explain(pod: string): Explanation | undefined {
    return this.#explanations.get(pod);
  }

  start(): void {
    const nodes = createInformer(this.#client, NODES, this.#world);
    const pods = createInformer(this.#client, PODS, this.#world, {
      fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
    });
    nodes.subscribe({
      add: (node) => this.#nodeSeen(node),
      update: (_, node) => this.#nodeSeen(node),
      remove: (node) => this.#nodeGone(node),
    });
    pods.subscribe({
      add: (pod) => this.#podSeen(undefined, pod),
      update: (before, pod) => this.#podSeen(before, pod),
      remove: (pod) => this.#podGone(pod),
    });
    nodes.start(this.#scope);
    pods.start(this.#scope);
    this.#scope.defer(() => this.#queue.close());
    this.#scope.run('start', async (signal) => {
      await Promise.all([nodes.whenSynced(signal), pods.whenSynced(signal)]);
      this.#running = true;
      this.#world.log.info(1, 'Scheduling', { profiles: [...this.#profiles.keys()], nodes: nodes.size });
      this.#ready.resolve();
      this.#kick();
    });
  }

  // What the watches bring.

  #nodeSeen(node: Node): void {
    const event = this.#state.setNode(node);
    if (event !== undefined) this.#queue.event(event);
  }

  #nodeGone(node: Node): void {
    this.#state.removeNode(node.metadata.name ?? '');
    this.#queue.event('NodeDelete');
  }

  #podSeen(before: Pod | undefined, pod: Pod): void {
    if (isPodTerminal(pod)) {
      this.#podGone(pod);
      return;
    }
    if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') {
      const isNew = before?.spec.nodeName === undefined;
      this.#queue.remove(keyOf(pod));
      this.#state.confirm(pod);
      this.#event(isNew ? 'AssignedPodAdd' : 'AssignedPodUpdate');
      return;
    }
    const mine = this.#profiles.has(pod.spec.schedulerName ?? 'default-scheduler');
    if (!mine || this.#state.isBooked(pod.metadata.uid ?? '')) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#queue.remove(keyOf(pod));
    } else if (before === undefined || schedulingSpecDiffers(before, pod)) {
      this.#enqueue(pod);
    }
  }

  #podGone(pod: Pod): void {
    this.#queue.remove(keyOf(pod));
    if (this.#state.release(pod.metadata.uid ?? '')) this.#event('AssignedPodDelete');
  }

  #event(event: ClusterEvent): void {
    this.#queue.event(event);
  }

  #enqueue(pod: Pod): void {
    const demand = demandOf(pod);
    const profile = this.#profileOf(demand);
    for (const plugin of profile.plugins) {
      const refusal = plugin.preEnqueue?.(demand);
      if (refusal === undefined) continue;
      const reason = plugin.name === 'SchedulingGates' ? 'SchedulingGated' : 'Unschedulable';
      this.#queue.remove(demand.key);
      this.#reportUnscheduled(demand, reason, refusal.reasons.join(', '));
      return;
    }
    this.#queue.add(demand);
  }

  // Deciding and acting.

  #kick(): void {
    if (!this.#running || this.#looping || this.#scope.closing) return;
    this.#looping = true;
    const turn = this.#world.clock.soon(() => this.#turn());
    if (this.#scope.closing) turn.cancel();
  }

  #turn(): void {
    this.#looping = false;
    const began = this.#world.clock.monotonic();
    while (this.#inFlight < BINDINGS_IN_FLIGHT_MAX && !this.#scope.closing) {
      const next = this.#queue.take();
      if (next === undefined) return;
      this.#scheduleOne(next);
      if (this.#world.clock.monotonic() - began >= SLICE_MS_MAX) {
        this.#kick();
        return;
      }
    }
  }

  #scheduleOne(queued: QueuedPod): void {
    const { demand } = queued;
    const decision = decide({
      profile: this.#profileOf(demand),
      demand,
      nodes: this.#state.nodes,
      random: this.#world.random,
      scratch: this.#scratch,
      explain: this.#state.nodes.size <= 100,
    });
    this.#explanations.put(explain(decision, this.#state.nodes, { pod: demand.key, at: this.#world.clock.now() }));
    if (decision.kind === 'placed') this.#place(queued, decision);
    else this.#refuse(queued, decision);
  }

  #place(queued: QueuedPod, placement: Placement): void {
    const { demand } = queued;
    const node = placement.node;
    this.#state.assume(demand, node);
    this.#inFlight++;
    this.#scope.run(`bind ${demand.key}`, async (signal) => {
      try {
        await runBindCycle({
          profile: this.#profileOf(demand),
          demand,
          node,
          bind: (d, n, context) => this.#bind(d, n, context.signal),
          context: { signal },
        });
        this.#recorderOf(demand).event(
          demand.pod,
          'Normal',
          'Scheduled',
          `Successfully assigned ${demand.key} to ${node}`,
        );
        this.#world.log.info(2, 'Successfully bound pod to node', { pod: demand.key, node });
      } catch (error) {
        this.#state.forget(demand.uid);
        this.#bindFailed(queued, error);
      } finally {
        this.#inFlight--;
        this.#kick();
      }
    });
  }

  async #bind(demand: PodDemand, node: string, signal: AbortSignal | undefined): Promise<void> {
    const { namespace = '', name = '' } = demand.pod.metadata;
    await this.#client.resource(PODS, namespace).subresource(
      'create',
      name,
      'binding',
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid: demand.uid },
        target: { kind: 'Node', name: node },
      },
      signal === undefined ? {} : { signal },
    );
  }

  #bindFailed(queued: QueuedPod, error: unknown): void {
    const { demand } = queued;
    if (status.isNotFound(error) || this.#scope.closing) return;
    this.#world.log.error(error, 'Binding failed', { pod: demand.key });
    const message = error instanceof Error ? error.message : 'binding failed';
    this.#recorderOf(demand).event(demand.pod, 'Warning', 'FailedScheduling', message);
    this.#queue.retry(queued);
  }

  #refuse(queued: QueuedPod, decision: Unplaced): void {
    const { demand } = queued;
    this.#world.log.info(2, 'Unable to schedule pod; no fit; waiting', { pod: demand.key, err: decision.message });
    this.#recorderOf(demand).event(demand.pod, 'Warning', 'FailedScheduling', decision.message);
    this.#queue.refuse(queued, decision.refusedBy);
    this.#reportUnscheduled(demand, 'Unschedulable', decision.message);
  }

  /** PodScheduled=False with the reason, written only when it says something new. */
  #reportUnscheduled(demand: PodDemand, reason: string, message: string): void {
    const current = getPodCondition(demand.pod, 'PodScheduled');
    if (current?.status === 'False' && current.reason === reason && current.message === message) return;
    const { namespace = '', name = '', uid } = demand.pod.metadata;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastTransitionTime:
        current?.status === 'False' ? current.lastTransitionTime : formatTime(this.#world.clock.now()),
      lastProbeTime: null,
    };
    this.#scope.run(`status ${demand.key}`, async (signal) => {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      try {
        await this.#client
          .resource(PODS, namespace)
          .patch(name, 'strategic', patch, { subresource: 'status' }, { signal });
      } catch (error) {
        if (!status.isNotFound(error) && !status.isConflict(error)) throw error;
      }
    });
  }

  #profileOf(demand: PodDemand): Profile {
    const profile = this.#profiles.get(demand.pod.spec.schedulerName ?? 'default-scheduler');
    assert(profile !== undefined, 'a pod of another scheduler came into the queue', { pod: demand.key });
    return profile;
  }

  #recorderOf(demand: PodDemand): EventRecorder {
    const recorder = this.#recorders.get(demand.pod.spec.schedulerName ?? 'default-scheduler');
    assert(recorder !== undefined, 'no recorder for a profile', { pod: demand.key });
    return recorder;
  }
}

function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
}

/** Whether an update of an unscheduled pod is worth another look: its own status updates are not. */
function schedulingSpecDiffers(before: Pod, after: Pod): boolean {
  if (before.metadata.uid !== after.metadata.uid) return true;
  return JSON.stringify([before.spec, before.metadata.labels]) !== JSON.stringify([after.spec, after.metadata.labels]);
}
