import type { Clock, SchedulerMeasures, Timer } from '@binnacle/base';
import type { ClusterEvent, QueuedPod, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { BackoffPods } from './backoff-pods.ts';
import { eventLabel } from './event-label.ts';
import { KeyedHeap } from './keyed-heap.ts';
import { QueueMeter, tellWaiting } from './queue-meter.ts';
import { SleepingPods } from './sleeping-pods.ts';
import type { Sleeper } from './sleeping-pods.ts';
import type { WakeQuestion } from './wake-rules.ts';

/** A pod that no event woke is tried again after this long, in case a hint was wrong. */
const UNSCHEDULABLE_MS_MAX = 5 * 60_000;
/** Events that are remembered while a pod is being tried; beyond it, any of them may have helped. */
const MISSED_EVENTS_MAX = 1_000;
/** What brings pods to their places besides events of the cluster, in upstream's words. */
const ATTEMPT_FAILED = 'ScheduleAttemptFailure';
const POD_ADDED = 'UnschedulablePodAdd';
const POD_CHANGED = 'UnschedulablePodUpdate';
const POPPED_EARLY = 'PopFromBackoffQ';

/** A pod that is being tried. */
interface Try {
  /** How many events of the cluster had come by then. */
  readonly from: number;
  /** What changed in the pod itself since. */
  readonly changes: WakeQuestion[];
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly sort: (a: QueuedPod, b: QueuedPod) => number;
  /** Whom an event may help. */
  readonly ask: (event: ClusterEvent) => WakeQuestion;
  /** The names under which a pod that these plugins refused waits for events. */
  readonly waitsFor: (demand: PodDemand, refusedBy: ReadonlySet<string>) => readonly string[];
  /** Whether the pod may be tried at all; a refusal is reported by whoever made it. */
  readonly admit?: (demand: PodDemand) => Refusal | undefined;
  /** The pod as it is by now; undefined: it is gone, or has its node, and waits no more. */
  readonly current: (demand: PodDemand) => PodDemand | undefined;
  /** There is something to take. */
  readonly onReady: () => void;
  /** Who keeps score of what waits, until the queue is closed. Absent: nobody. */
  readonly measures?: SchedulerMeasures | undefined;
  /** Milliseconds; upstream's 1 s and 10 s where absent. */
  readonly backoffInitialMs?: number | undefined;
  readonly backoffMaxMs?: number | undefined;
}

/**
 * Where pods wait to be scheduled. A pod is in one of three places:
 *
 *     active  ──take──▶ (being scheduled) ──refused──▶ unschedulable ──event──▶ backoff ──time──▶ active
 *                                          └─failed───▶ backoff
 *
 * Where nobody is active, whom an event woke is taken before its time (KEP-5142); not who failed.
 *
 * Keys are `namespace/name`. Bounded by the pods that exist.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #active: KeyedHeap<QueuedPod>;
  readonly #backoff: BackoffPods;
  readonly #unschedulable = new SleepingPods();
  /** Those of them that time wakes, who is due first on top; gated ones, which may be thousands, wait for no time. */
  readonly #resting: KeyedHeap<Sleeper>;
  /** By uid: a pod of the same name may come while one that is gone is still asked about. */
  readonly #taken = new Map<string, Try>();
  #missed: WakeQuestion[] = [];
  #timer: Timer | undefined;
  #timerAt = Infinity;
  readonly #meter: QueueMeter | undefined;
  readonly #silence: (() => void) | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#active = new KeyedHeap<QueuedPod>(
      (a, b) => options.sort(a, b) < 0,
      (p) => p.demand.key,
    );
    const { sort, backoffInitialMs: initialMs, backoffMaxMs: maxMs, measures } = options;
    this.#backoff = new BackoffPods({ sort, initialMs, maxMs });
    this.#resting = new KeyedHeap<Sleeper>(
      (a, b) => a.until < b.until,
      (w) => w.pod.demand.key,
    );
    this.#meter = measures === undefined ? undefined : new QueueMeter(measures);
    this.#silence = measures?.gauges((tell) =>
      tellWaiting({ lengths: this.lengths, gated: this.#gated, pods: this.#pods() }, tell),
    );
  }

  /** How many pods wait, by place. */
  get lengths(): { readonly active: number; readonly backoff: number; readonly unschedulable: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size };
  }

  /** Of the pods that are refused, how many no plugin lets in. */
  get #gated(): number {
    return this.#unschedulable.size - this.#resting.size;
  }

  /** All pods that wait, wherever. */
  *#pods(): Iterable<QueuedPod> {
    yield* this.#active.items;
    yield* this.#backoff.pods();
    yield* this.#unschedulable.pods();
  }

  /** A pod that is to be scheduled, new or changed. A change of a waiting pod counts as an event for it alone. */
  add(demand: PodDemand, change?: ClusterEvent): void {
    const { key, uid } = demand;
    const taken = this.#taken.get(uid);
    if (taken !== undefined) {
      // Whoever tries it gives it back, and it is looked at anew then.
      if (change !== undefined && taken.changes.length <= MISSED_EVENTS_MAX)
        taken.changes.push(this.#options.ask(change));
      return;
    }
    const place = this.#unschedulable.get(key);
    const active = this.#active.get(key);
    const waiting = active ?? place?.pod ?? this.#backoff.get(key);
    if (waiting === undefined || waiting.demand.uid !== uid) {
      this.remove(key);
      this.#activate(
        {
          demand,
          since: this.#options.clock.monotonic(),
          attempts: 0,
          refusals: 0,
          errorsInRow: 0,
          triedAt: 0,
          waitedMs: 0,
          refusedBy: new Set(),
        },
        change === undefined || change.before === undefined ? POD_ADDED : POD_CHANGED,
      );
      return;
    }
    const renewed = { ...waiting, demand };
    // Who is about to be tried keeps its place in line and the tries it had: a change is no new pod.
    if (active !== undefined) {
      this.#active.remove(key);
      this.#activate(renewed);
    } else if (place === undefined) this.#backOff(renewed);
    else if (change === undefined || this.#options.ask(change).mayHelp(demand, waiting.refusedBy))
      this.#wake(renewed, POD_CHANGED);
    else this.#sleep({ pod: renewed, until: place.until });
  }

  /** The pod that comes next; it stays where it is. */
  get next(): PodDemand | undefined {
    return (this.#active.peek() ?? this.#backoff.early)?.demand;
  }

  /** The next pod to schedule, as it is by now: what was said of it at its last try is in its status. */
  take(): QueuedPod | undefined {
    let pod: QueuedPod | undefined;
    do {
      const popped = this.#active.pop() ?? this.#takeEarly();
      if (popped === undefined) return undefined;
      pod = this.#renewed(popped);
    } while (pod === undefined);
    const now = this.#options.clock.monotonic();
    pod.waitedMs = now - (pod.attempts === 0 ? pod.since : pod.triedAt);
    pod.attempts++;
    pod.triedAt = now;
    this.#taken.set(pod.demand.uid, { from: this.#missed.length, changes: [] });
    return pod;
  }

  /** Whether the pod was taken, and nothing was said of it since. */
  isTried(pod: QueuedPod): boolean {
    return this.#taken.has(pod.demand.uid);
  }

  /** A pod that was taken has its node, or wants none any more. */
  done(pod: QueuedPod): void {
    this.#giveBack(pod.demand.uid);
  }

  /** No node fits: waits for an event that may change that. */
  refuse(pod: QueuedPod, refusedBy: ReadonlySet<string>): void {
    const missed = this.#finish(pod.demand.uid);
    const renewed = this.#renewed(pod);
    if (renewed === undefined) return;
    renewed.refusedBy = refusedBy;
    renewed.refusals++;
    renewed.errorsInRow = 0;
    // What happened while it was being tried may have been what it needed.
    if (missed === undefined || missed.some((one) => one.mayHelp(renewed.demand, refusedBy))) {
      this.#backOff(renewed, ATTEMPT_FAILED);
      return;
    }
    this.#meter?.incoming('unschedulable', ATTEMPT_FAILED);
    this.#sleep({ pod: renewed, until: this.#options.clock.monotonic() + UNSCHEDULABLE_MS_MAX });
    this.#arm();
  }

  /** Something went wrong on the way: again after its back-off. */
  retry(pod: QueuedPod): void {
    this.#finish(pod.demand.uid);
    const renewed = this.#renewed(pod);
    if (renewed === undefined) return;
    renewed.errorsInRow++;
    this.#backOff(renewed, ATTEMPT_FAILED);
  }

  /** A pod that sleeps is worth another try; nothing where it does not sleep. */
  wake(key: string): void {
    const waiting = this.#unschedulable.get(key);
    if (waiting !== undefined) this.#wake(waiting.pod, 'ForceActivate');
  }

  remove(key: string): void {
    this.#active.remove(key);
    this.#backoff.remove(key);
    this.#forget(key);
  }

  /** Something changed in the cluster: wakes the pods that it may help, `but` the one of this key. */
  event(event: ClusterEvent, but?: string): void {
    if (this.#taken.size === 0 && this.#unschedulable.size === 0) return;
    const question = this.#options.ask(event);
    if (this.#taken.size > 0 && this.#missed.length <= MISSED_EVENTS_MAX) this.#missed.push(question);
    const helped = this.#unschedulable.helpedBy(question);
    if (helped.length === 0) return;
    const label = eventLabel(event);
    for (const pod of helped) if (pod.demand.key !== but) this.#wake(pod, label);
  }

  close(): void {
    this.#silence?.();
    this.#timer?.cancel();
    this.#timerAt = Infinity;
  }

  #renewed(pod: QueuedPod): QueuedPod | undefined {
    const demand = this.#options.current(pod.demand);
    if (demand === pod.demand) return pod;
    return demand === undefined ? undefined : { ...pod, demand };
  }

  /** What happened since the pod was taken; undefined: too much to tell. */
  #finish(uid: string): readonly WakeQuestion[] | undefined {
    const { from, changes } = this.#taken.get(uid) ?? { from: this.#missed.length, changes: [] };
    const isTooMuch = this.#missed.length > MISSED_EVENTS_MAX || changes.length > MISSED_EVENTS_MAX;
    const missed = isTooMuch ? undefined : [...changes, ...this.#missed.slice(from)];
    this.#giveBack(uid);
    return missed;
  }

  #giveBack(uid: string): void {
    this.#taken.delete(uid);
    if (this.#taken.size === 0 && this.#missed.length > 0) this.#missed = [];
  }

  #sleep(sleeper: Sleeper): void {
    const { demand, refusedBy } = sleeper.pod;
    this.#unschedulable.add(sleeper, this.#options.waitsFor(demand, refusedBy));
    if (sleeper.until < Infinity) this.#resting.push(sleeper);
  }

  #forget(key: string): void {
    this.#unschedulable.remove(key);
    this.#resting.remove(key);
  }

  #wake(pod: QueuedPod, event: string): void {
    this.#forget(pod.demand.key);
    this.#backOff(pod, event);
  }

  /** `event`: what brought it; absent: it was there already. */
  #backOff(pod: QueuedPod, event?: string): void {
    this.#backoff.remove(pod.demand.key);
    if (this.#backoff.timeOf(pod) <= this.#options.clock.monotonic()) {
      this.#activate(pod, event);
      return;
    }
    if (!this.#admits(pod, event)) return;
    if (event !== undefined) this.#meter?.incoming('backoff', event);
    this.#backoff.push(pod);
    this.#arm();
    if (this.#active.size === 0 && this.#backoff.early !== undefined) this.#options.onReady();
  }

  /** Nobody else is in line: who waits for its time alone need not. */
  #takeEarly(): QueuedPod | undefined {
    const pod = this.#backoff.early;
    if (pod === undefined) return undefined;
    this.#backoff.remove(pod.demand.key);
    this.#meter?.incoming('active', POPPED_EARLY);
    return pod;
  }

  #activate(pod: QueuedPod, event?: string): void {
    if (this.#admits(pod, event)) this.#line(pod, event);
  }

  /** Whether a pod may be tried at all; one that may not sleeps. */
  #admits(pod: QueuedPod, event: string | undefined): boolean {
    const refusal = this.#options.admit?.(pod.demand);
    if (refusal === undefined) {
      if (Number.isNaN(pod.entered)) pod.entered = this.#options.clock.monotonic();
      return true;
    }
    pod.refusedBy = new Set([refusal.plugin]);
    // Who was kept out before has been there all the time.
    const isNew = !Number.isNaN(pod.entered);
    if (isNew && event !== undefined) this.#meter?.incoming('unschedulable', event);
    if (pod.attempts === 0) pod.entered = NaN;
    // Gated is not tried and found wanting: only an event lets it in.
    this.#sleep({ pod, until: Infinity });
    return false;
  }

  #line(pod: QueuedPod, event?: string): void {
    if (event !== undefined) this.#meter?.incoming('active', event);
    this.#active.push(pod);
    this.#options.onReady();
  }

  /** One timer, for whoever is due first. */
  #arm(): void {
    const next = Math.min(this.#backoff.nextAt, this.#resting.peek()?.until ?? Infinity);
    if (next >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = next;
    const delay = Math.max(0, next - this.#options.clock.monotonic());
    this.#timer = this.#options.clock.after(delay, () => this.#due(), { background: true });
  }

  #due(): void {
    this.#timerAt = Infinity;
    const now = this.#options.clock.monotonic();
    for (const pod of this.#backoff.takeDue(now)) this.#line(pod, 'BackoffComplete');
    for (let top = this.#resting.peek(); top !== undefined && top.until <= now; top = this.#resting.peek()) {
      this.#forget(top.pod.demand.key);
      top.pod.wasFlushed = true;
      this.#activate(top.pod, 'UnschedulableTimeout');
    }
    this.#arm();
  }
}
