import type { DeviceMeasures, GaugeSink, SchedulerMeasures, Scope } from '@binnacle/base';
import { assert, messageOf, openGate, orAborted, silentTrace } from '@binnacle/base';
import { createEventRecorder } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import { ClusterWatch } from './cluster-watch.ts';
import { isPodGone, refusalIn } from './cycle/bind-cycle.ts';
import { Binder } from './cycle/binder.ts';
import type { Placed } from './cycle/binder.ts';
import { Desks } from './desks.ts';
import type { Handle, Profile } from './handle.ts';
import type { PostFilterResult, QueuedPod, Refusal } from './plan/framework.ts';
import { Listers } from './cycle/listers.ts';
import { PermitRoom } from './cycle/permit-room.ts';
import { ClusterState } from './plan/cluster-state.ts';
import type { AttemptResult } from './plan/profile-meter.ts';
import type { Nomination } from './plan/cluster-state.ts';
import type { Placement, Unplaced } from './plan/decide.ts';
import { Decider } from './cycle/decider.ts';
import type { PodDemand } from './plan/demand.ts';
import type { Extender } from './plan/extender.ts';
import { runPostFilters } from './cycle/post-filter.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { eventNote } from './cycle/event-note.ts';
import { failureReason, StatusWriter } from './cycle/status-writer.ts';
import type { UnscheduledStatus } from './cycle/status-writer.ts';

/** As which people hold it, whatever its profiles are called. */
const SCHEDULER = 'kube-scheduler';
/**
 * The loop hands the turn back after this long, so that watch events and replies get theirs. What it decided is bound in the
 * same turn, which takes as long again and more.
 */
const SLICE_MS_MAX = 2;
/** A pod goes on to its node before it is told where it goes. */
const EVENT_DELAY_MS = 20;
const GONE: Refusal = { plugin: '', reasons: ['the pod was deleted'], unresolvable: true };

/** What a scheduler needs. */
export interface SchedulerOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  /** The scheduler stops with it. */
  readonly scope: Scope;
  /** One per `schedulerName`; the default profile when absent. All have the same queueSort. */
  readonly profiles?: readonly Profile[];
  /** Asked after the plugins of every profile. */
  readonly extenders?: readonly Extender[];
  /** Who keeps score of waits for devices. Absent: nobody. */
  readonly devices?: DeviceMeasures;
  /** Who keeps score of everything else that the scheduler does. Absent: nobody. */
  readonly measures?: SchedulerMeasures;
  /** How long a pod that failed waits at first, and at most; milliseconds. Upstream's 1 s and 10 s where absent. */
  readonly podInitialBackoffMs?: number;
  readonly podMaxBackoffMs?: number;
}

/** A running scheduler. */
export interface SchedulerHandle {
  /** Resolves once nodes and pods are known and scheduling goes on. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** Why the pod (`namespace/name`) went where it went, or nowhere; the latest 1,000 are kept. */
  explain(pod: string): ReturnType<Decider['explain']>;
  readonly waiting: { readonly active: number; readonly backoff: number; readonly unschedulable: number };
}

/** Starts a scheduler: it binds the pods that name one of its profiles, and no others. Throws SchedulerConfigError. */
export function startScheduler(options: SchedulerOptions): SchedulerHandle {
  const scheduler = new Scheduler(options);
  scheduler.start();
  return scheduler;
}

class Scheduler implements SchedulerHandle {
  readonly #client: Client;
  readonly #world: ClientWorld;
  readonly #scope: Scope;
  readonly #extenders: readonly Extender[];
  readonly #devices: DeviceMeasures | undefined;
  readonly #measures: SchedulerMeasures | undefined;
  readonly #desks: Desks;
  readonly #listers: Listers;
  readonly #state = new ClusterState({ nominationEnded: (nomination) => this.#nominationEnded(nomination) });
  readonly #queue: SchedulingQueue;
  readonly #cluster: ClusterWatch;
  readonly #room = new PermitRoom();
  readonly #statuses: StatusWriter;
  readonly #decider: Decider;
  readonly #ready = Promise.withResolvers<void>();
  #running = false;
  #looping = false;
  /** Somebody is asked about a pod: no other pod is decided meanwhile. */
  #deciding = false;
  /** Somebody holds the scheduler. */
  #held = false;
  readonly #binder: Binder;

  constructor(options: SchedulerOptions) {
    const { client, world, scope, profiles, extenders = [] } = options;
    this.#client = client;
    this.#world = world;
    this.#scope = scope;
    this.#extenders = extenders;
    this.#devices = options.devices;
    const { measures } = options;
    this.#measures = measures;
    this.#statuses = new StatusWriter({ client, world, scope, tellHeld: (demand) => this.#tellHeld(demand) });
    this.#listers = new Listers({ client, world, onEvent: (event) => this.#queue.event(event) });
    this.#binder = new Binder({
      scope,
      extenders,
      room: this.#room,
      log: world.log,
      onBound: (placed, at) => this.#bound(placed, at),
      onFailed: (placed, error) => this.#bindFailed(placed, error),
      onWaiting: ({ queued, node }) => this.#statuses.expect(queued.demand, node),
      onFree: () => this.#kick(),
    });
    this.#desks = new Desks(profiles, (profile) => this.#handleFor(profile), measures);
    this.#decider = new Decider({
      state: this.#state,
      random: world.random,
      extenders,
      now: () => world.clock.now(),
      trace: world.trace ?? silentTrace,
      signal: scope.signal,
      withdrawn: (demand) => {
        this.#statuses.withdrawNomination(demand);
        this.#queue.wake(demand.key);
      },
    });
    this.#queue = new SchedulingQueue({
      measures,
      clock: world.clock,
      sort: this.#desks.sorter(),
      ask: (event) => this.#desks.ask(event),
      waitsFor: (demand, refusedBy) => this.#desks.waitsFor(demand, refusedBy),
      admit: (demand) => this.#admit(demand),
      current: (demand) => this.#cluster.pending(demand),
      onReady: () => this.#kick(),
      ...(options.podInitialBackoffMs === undefined ? {} : { backoffInitialMs: options.podInitialBackoffMs }),
      ...(options.podMaxBackoffMs === undefined ? {} : { backoffMaxMs: options.podMaxBackoffMs }),
    });
    this.#cluster = new ClusterWatch(
      { client, world },
      {
        state: this.#state,
        queue: this.#queue,
        isOurs: (pod) => this.#desks.has(pod.spec.schedulerName),
        nominated: (demand, node) => this.#decider.nominations.seen(demand, node),
        pendingPodGone: (uid) => {
          this.#statuses.release(uid);
          this.#statuses.forget({ uid });
          this.#room.reject(uid, GONE);
        },
      },
    );
  }

  get waiting(): SchedulerHandle['waiting'] {
    return this.#queue.lengths;
  }

  /** Whoever was held back by a pod that was to come is helped as if that pod had been there and went. */
  #nominationEnded({ demand: { pod }, node }: Nomination): void {
    const before = { ...pod, spec: { ...pod.spec, nodeName: node } };
    this.#queue.event({ resource: 'pods', action: 'delete', before });
  }

  whenReady(signal?: AbortSignal): Promise<void> {
    return signal === undefined ? this.#ready.promise : orAborted(this.#ready.promise, signal);
  }

  explain(pod: string): ReturnType<Decider['explain']> {
    return this.#decider.explain(pod);
  }

  start(): void {
    this.#world.gate?.join(SCHEDULER);
    this.#cluster.startNodes(this.#scope);
    this.#scope.defer(() => this.#queue.close());
    const silence = this.#measures?.gauges((tell) => this.#tellGauges(tell));
    if (silence !== undefined) this.#scope.defer(silence);
    this.#scope.run('start', async (signal) => {
      // What plugins look at is there before the first pod is.
      await this.#listers.start(this.#scope, signal);
      this.#cluster.startPods(this.#scope);
      await this.#cluster.whenSynced(signal);
      this.#running = true;
      this.#world.log.info(1, 'Scheduling', { profiles: this.#desks.names, nodes: this.#state.nodes.size });
      this.#ready.resolve();
      this.#kick();
    });
  }

  /** What the scheduler keeps, and does beside deciding, now. */
  #tellGauges(tell: GaugeSink): void {
    const { pods, assumed } = this.#state.placed;
    tell('cache_size', ['nodes'], this.#state.nodes.size);
    tell('cache_size', ['pods'], pods);
    tell('cache_size', ['assumed_pods'], assumed);
    tell('goroutines', ['binding'], this.#binder.underway);
  }

  // Setting up.

  #handleFor(profile: string): Handle {
    const { clock, random, log } = this.#world;
    return {
      profile,
      clock,
      random,
      log,
      scope: this.#scope,
      client: this.#client,
      events: createEventRecorder({
        delayMs: EVENT_DELAY_MS,
        client: this.#client,
        world: this.#world,
        scope: this.#scope,
        component: profile,
      }),
      snapshot: this.#state,
      extenders: this.#extenders,
      devices: this.#devices,
      measures: this.#measures,
      lister: (ref, indexes) => {
        assert(!this.#listers.isStarted, 'listers are asked for while plugins are made', { resource: ref.resource });
        return this.#listers.lister(ref, indexes);
      },
      notify: (event) => this.#queue.event(event),
      nominationOf: (uid) => this.#state.nominationOf(uid),
      nominate: (demand, node) => this.#state.nominate(demand, node),
      withdrawNominations: (node, taker) => this.#decider.nominations.withdraw(node, taker),
      retry: (pod) => this.#queue.wake(pod),
      rejectWaiting: (uid, refusal) => this.#room.reject(uid, refusal),
    };
  }

  #admit(demand: PodDemand): Refusal | undefined {
    for (const plugin of this.#desks.of(demand).plugins.preEnqueue) {
      const refusal = plugin.preEnqueue?.(demand);
      if (refusal === undefined) continue;
      // Of gates the pod's status tells from its creation on: that is the API server's to say.
      if (plugin.name !== 'SchedulingGates') this.#statuses.hold(demand);
      return refusal;
    }
    this.#statuses.release(demand.uid);
    return undefined;
  }

  /** A pod that is still not let in is told why. */
  #tellHeld(held: PodDemand): void {
    const demand = this.#cluster.pending(held);
    if (demand === undefined || this.#scope.closing) return;
    for (const plugin of this.#desks.of(demand).plugins.preEnqueue) {
      const refusal = plugin.preEnqueue?.(demand);
      if (refusal === undefined) continue;
      if (plugin.name === 'SchedulingGates') return;
      this.#statuses.write(demand, { reason: 'Unschedulable', message: refusal.reasons.join(', ') });
      return;
    }
  }

  // Deciding and acting.

  #kick(): void {
    if (!this.#running || this.#looping || this.#deciding || this.#scope.closing) return;
    this.#looping = true;
    const turn = this.#world.clock.soon(() => this.#turn());
    if (this.#scope.closing) turn.cancel();
  }

  #turn(): void {
    this.#looping = false;
    const began = this.#world.clock.monotonic();
    while (!this.#deciding && !this.#isHeld() && !this.#binder.isFull && !this.#scope.closing) {
      const next = this.#queue.take();
      if (next === undefined) return;
      this.#scheduleOne(next);
      if (this.#world.clock.monotonic() - began >= SLICE_MS_MAX) {
        this.#kick();
        return;
      }
    }
  }

  /** Whether the next pod has to wait until people let it through. */
  #isHeld(): boolean {
    const { next } = this.#queue;
    if (this.#held || next === undefined) return this.#held;
    const held = (this.#world.gate ?? openGate).pass(SCHEDULER, { what: `schedule ${next.key}` }, this.#scope.signal);
    if (held === undefined) return false;
    this.#held = true;
    this.#scope.run('held', async () => {
      await held;
      this.#held = false;
      // What let it through counts for one pod: it is taken before the gate is asked again.
      const queued = this.#scope.closing ? undefined : this.#queue.take();
      if (queued !== undefined) this.#scheduleOne(queued);
      this.#kick();
    });
    return true;
  }

  #scheduleOne(queued: QueuedPod): void {
    const { demand, waitedMs } = queued;
    this.#decider.tale.begin(demand, waitedMs);
    const { plugins } = this.#desks.of(demand);
    plugins.meter?.begin(queued.triedAt);
    try {
      const decision = this.#decider.decide(plugins, demand);
      if (decision instanceof Promise) this.#await(queued, decision);
      else this.#settle(queued, decision);
    } catch (error) {
      this.#decisionFailed(queued, error);
    }
  }

  #await(queued: QueuedPod, decision: ReturnType<Decider['decide']>): void {
    this.#deciding = true;
    this.#scope.run(`decide ${queued.demand.key}`, async () => {
      try {
        const decided = await decision;
        if (!this.#isGone(queued)) this.#settle(queued, decided);
      } catch (error) {
        this.#decisionFailed(queued, error);
      } finally {
        this.#deciding = false;
        this.#kick();
      }
    });
  }

  /** Whether a pod that somebody was asked about needs no answer by now. */
  #isGone(queued: QueuedPod): boolean {
    const { demand } = queued;
    if (this.#cluster.pending(demand) !== undefined) return false;
    this.#queue.done(queued);
    this.#decider.tale.end(demand, 'it needs no node any more');
    return true;
  }

  #settle(queued: QueuedPod, decision: Awaited<ReturnType<Decider['decide']>>): void {
    if (decision.kind === 'outdated') {
      this.#decider.tale.end(queued.demand, 'the cluster changed meanwhile');
      this.#queue.retry(queued);
      return;
    }
    if (decision.kind === 'placed') this.#place(queued, decision);
    else this.#refuse(queued, decision);
  }

  #place(queued: QueuedPod, { node }: Placement): void {
    const { demand } = queued;
    this.#decider.tale.end(demand, `bound to ${node}`);
    this.#state.assume(demand, node);
    const { plugins } = this.#desks.of(demand);
    plugins.meter?.decided(queued.triedAt);
    this.#binder.bind({ queued, node, plugins });
    // Who was held back at once is back in the queue already.
    this.#queue.done(queued);
  }

  #bound({ queued, node, plugins: { meter } }: Placed, at: number): void {
    const { demand } = queued;
    const { recorder } = this.#desks.of(demand);
    meter?.bound(queued, at);
    this.#statuses.forget(demand);
    recorder.event(demand.pod, 'Normal', 'Scheduled', `Successfully assigned ${demand.key} to ${node}`);
    this.#world.log.info(2, 'Successfully bound pod to node', { pod: demand.key, node });
  }

  #bindFailed({ queued }: Placed, error: unknown): void {
    const { demand } = queued;
    this.#state.forget(demand.uid);
    this.#attempted(queued, refusalIn(error) === undefined ? 'error' : 'unschedulable');
    const freed = { resource: 'pods', action: 'delete', before: demand.pod } as const;
    // Somebody else bound it, or it is gone.
    if (this.#scope.closing || this.#cluster.pending(demand) === undefined) {
      this.#statuses.forget(demand);
      this.#queue.event(freed);
      return;
    }
    // Gone, as its watch will say; anything else that is missing (a claim, a volume) may come back, and the pod waits for it.
    if (!isPodGone(error)) {
      this.#world.log.error(error, 'Binding failed', { pod: demand.key });
      this.#tellFailure(demand, { reason: failureReason(error), message: messageOf(error), nominatedNode: '' });
    }
    // What a plugin refuses at once waits for what that plugin listens to; that it gives its own room back helps it nothing.
    const refusal = refusalIn(error);
    if (refusal !== undefined && this.#queue.isTried(queued)) {
      this.#queue.refuse(queued, new Set([refusal.plugin]));
      this.#queue.event(freed, demand.key);
      return;
    }
    this.#queue.event(freed);
    this.#queue.retry(queued);
  }

  /** A plugin or an extender that has to be asked failed: nothing is known about the pod. */
  #decisionFailed(queued: QueuedPod, error: unknown): void {
    const { demand } = queued;
    if (this.#scope.closing || this.#isGone(queued)) return;
    this.#attempted(queued, 'error');
    this.#world.log.error(error, 'Scheduling failed', { pod: demand.key });
    this.#decider.tale.end(demand, messageOf(error));
    this.#tellFailure(demand, { reason: 'SchedulerError', message: messageOf(error) });
    this.#queue.retry(queued);
  }

  /** A try found no node, or none that the pod came to. */
  #attempted({ demand, triedAt }: QueuedPod, result: AttemptResult): void {
    const { meter } = this.#desks.of(demand).plugins;
    meter?.attempted(result, meter.now() - triedAt);
  }

  #tellFailure(demand: PodDemand, status: UnscheduledStatus): void {
    this.#desks.of(demand).recorder.event(demand.pod, 'Warning', 'FailedScheduling', eventNote(status.message));
    this.#statuses.write(demand, status);
  }

  #refuse(queued: QueuedPod, unplaced: Unplaced): void {
    const { demand } = queued;
    const { plugins } = this.#desks.of(demand);
    const { failure } = unplaced;
    const hasNodes = this.#state.nodes.size > 0;
    const found = hasNodes ? runPostFilters({ plugins, demand, snapshot: this.#state, failure }) : {};
    const { meter } = plugins;
    if (!(found instanceof Promise)) {
      if (hasNodes) meter?.lap('PostFilter', postFilterCode(found));
      meter?.decided(queued.triedAt);
      this.#report(queued, unplaced, found);
      return;
    }
    meter?.decided(queued.triedAt);
    const began = meter?.at ?? 0;
    this.#scope.run(`post-filter ${demand.key}`, async () => {
      try {
        const result = await found;
        meter?.point('PostFilter', postFilterCode(result), meter.now() - began);
        if (!this.#isGone(queued)) this.#report(queued, unplaced, result);
      } catch (error) {
        this.#decisionFailed(queued, error);
      }
    });
  }

  #report(queued: QueuedPod, unplaced: Unplaced, found: PostFilterResult): void {
    const { demand } = queued;
    const { nominatedNode, preemption } = found;
    this.#attempted(queued, 'unschedulable');
    const message = found.message === undefined ? unplaced.message : `${unplaced.message} ${found.message}`;
    this.#world.log.info(2, 'Unable to schedule pod; no fit; waiting', { pod: demand.key, err: message });
    const nominated = nominatedNode === undefined ? {} : { nominatedNode };
    // The empty name takes an earlier nomination out of the status; of this decision there is none to tell.
    const tale = preemption === undefined ? {} : { preemption };
    this.#decider.amend(demand.key, { message, ...(nominatedNode === '' ? {} : nominated), ...tale });
    this.#decider.nominations.found(demand, nominatedNode);
    this.#decider.tale.end(demand, message);
    this.#queue.refuse(queued, unplaced.refusedBy);
    this.#tellFailure(demand, { reason: 'Unschedulable', message, ...nominated });
  }
}

/** Whether a node was found for the pod to wait for. */
function postFilterCode({ nominatedNode = '' }: PostFilterResult): 'Success' | 'Unschedulable' {
  return nominatedNode === '' ? 'Unschedulable' : 'Success';
}
