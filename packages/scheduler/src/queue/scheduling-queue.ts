import type { Clock, Timer } from '@binnacle/base';
import type { ClusterEvent, QueuedPod, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { KeyedHeap } from './keyed-heap.ts';

const BACKOFF_MS_INITIAL = 1_000;
const BACKOFF_MS_MAX = 10_000;
/** A pod that no event woke is tried again after this long, in case a hint was wrong. */
const UNSCHEDULABLE_MS_MAX = 5 * 60_000;
/** Events that are remembered while a pod is being tried; beyond it, any of them may have helped. */
const MISSED_EVENTS_MAX = 1_000;

interface Waiting {
  readonly pod: QueuedPod;
  readonly until: number;
}

/** A pod that is being tried. */
interface Try {
  /** How many events of the cluster had come by then. */
  readonly from: number;
  /** What changed in the pod itself since. */
  readonly changes: ClusterEvent[];
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly sort: (a: QueuedPod, b: QueuedPod) => number;
  /** Whether any of these plugins wants to hear of events like this one; a question about many pods at once. */
  readonly listens: (event: ClusterEvent, refusedBy: ReadonlySet<string>) => boolean;
  /** Whether an event may help a pod that these plugins refused. */
  readonly mayHelp: (event: ClusterEvent, demand: PodDemand, refusedBy: ReadonlySet<string>) => boolean;
  /** Whether the pod may be tried at all; a refusal is reported by whoever made it. */
  readonly admit?: (demand: PodDemand) => Refusal | undefined;
  /** The pod as it is by now; undefined: it is gone, or has its node, and waits no more. */
  readonly current: (demand: PodDemand) => PodDemand | undefined;
  /** The active queue has something to take. */
  readonly onReady: () => void;
  /** Milliseconds; upstream's 1 s and 10 s where absent. */
  readonly backoffInitialMs?: number;
  readonly backoffMaxMs?: number;
}

/**
 * Where pods wait to be scheduled. A pod is in one of three places:
 *
 *     active  ──take──▶ (being scheduled) ──refused──▶ unschedulable ──event──▶ backoff ──time──▶ active
 *                                          └─failed───▶ backoff
 *
 * Keys are `namespace/name`. Bounded by the pods that exist.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #active: KeyedHeap<QueuedPod>;
  readonly #backoff: KeyedHeap<Waiting>;
  readonly #unschedulable = new Map<string, Waiting>();
  /** Those of them that time wakes, who is due first on top; gated ones, which may be thousands, wait for no time. */
  readonly #resting: KeyedHeap<Waiting>;
  /** The keys of unschedulable pods by who refused them, so that an event passes over thousands at once. */
  readonly #byRefusers = new Map<string, { readonly refusedBy: ReadonlySet<string>; readonly keys: Set<string> }>();
  /** By uid: a pod of the same name may come while one that is gone is still asked about. */
  readonly #taken = new Map<string, Try>();
  #missed: ClusterEvent[] = [];
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#active = new KeyedHeap<QueuedPod>(
      (a, b) => options.sort(a, b) < 0,
      (p) => p.demand.key,
    );
    const byTime = (): KeyedHeap<Waiting> =>
      new KeyedHeap<Waiting>(
        (a, b) => a.until < b.until,
        (w) => w.pod.demand.key,
      );
    this.#backoff = byTime();
    this.#resting = byTime();
  }

  /** How many pods wait, by place. */
  get lengths(): { readonly active: number; readonly backoff: number; readonly unschedulable: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size };
  }

  /** A pod that is to be scheduled, new or changed. A change of a waiting pod counts as an event for it alone. */
  add(demand: PodDemand, change?: ClusterEvent): void {
    const { key, uid } = demand;
    const taken = this.#taken.get(uid);
    if (taken !== undefined) {
      // Whoever tries it gives it back, and it is looked at anew then.
      if (change !== undefined && taken.changes.length <= MISSED_EVENTS_MAX) taken.changes.push(change);
      return;
    }
    const place = this.#unschedulable.get(key);
    const active = this.#active.get(key);
    const waiting = active ?? place?.pod ?? this.#backoff.get(key)?.pod;
    if (waiting === undefined || waiting.demand.uid !== uid) {
      this.remove(key);
      this.#activate({
        demand,
        since: this.#options.clock.monotonic(),
        attempts: 0,
        triedAt: 0,
        waitedMs: 0,
        refusedBy: new Set(),
      });
      return;
    }
    const renewed = { ...waiting, demand };
    // Who is about to be tried keeps its place in line and the tries it had: a change is no new pod.
    if (active !== undefined) {
      this.#active.remove(key);
      this.#activate(renewed);
    } else if (place === undefined) this.#backOff(renewed);
    else if (change === undefined || this.#options.mayHelp(change, demand, waiting.refusedBy)) this.#wake(renewed);
    else this.#sleep({ pod: renewed, until: place.until });
  }

  /** The pod that comes next; it stays where it is. */
  get next(): PodDemand | undefined {
    return this.#active.peek()?.demand;
  }

  /** The next pod to schedule, as it is by now: what was said of it at its last try is in its status. */
  take(): QueuedPod | undefined {
    let pod: QueuedPod | undefined;
    do {
      const popped = this.#active.pop();
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
    // What happened while it was being tried may have been what it needed.
    if (missed === undefined || missed.some((e) => this.#options.mayHelp(e, renewed.demand, refusedBy))) {
      this.#backOff(renewed);
      return;
    }
    this.#sleep({ pod: renewed, until: this.#options.clock.monotonic() + UNSCHEDULABLE_MS_MAX });
    this.#arm();
  }

  /** Something went wrong on the way: again after its back-off. */
  retry(pod: QueuedPod): void {
    this.#finish(pod.demand.uid);
    const renewed = this.#renewed(pod);
    if (renewed !== undefined) this.#backOff(renewed);
  }

  /** A pod that sleeps is worth another try; nothing where it does not sleep. */
  wake(key: string): void {
    const waiting = this.#unschedulable.get(key);
    if (waiting !== undefined) this.#wake(waiting.pod);
  }

  remove(key: string): void {
    this.#active.remove(key);
    this.#backoff.remove(key);
    this.#forget(key);
  }

  /** Something changed in the cluster: wakes the pods that it may help. */
  event(event: ClusterEvent): void {
    if (this.#taken.size > 0 && this.#missed.length <= MISSED_EVENTS_MAX) this.#missed.push(event);
    if (this.#unschedulable.size === 0) return;
    for (const { refusedBy, keys } of [...this.#byRefusers.values()]) {
      if (!this.#options.listens(event, refusedBy)) continue;
      for (const key of [...keys]) {
        const pod = this.#unschedulable.get(key)?.pod;
        if (pod !== undefined && this.#options.mayHelp(event, pod.demand, refusedBy)) this.#wake(pod);
      }
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#timerAt = Infinity;
  }

  #renewed(pod: QueuedPod): QueuedPod | undefined {
    const demand = this.#options.current(pod.demand);
    if (demand === pod.demand) return pod;
    return demand === undefined ? undefined : { ...pod, demand };
  }

  /** What happened since the pod was taken; undefined: too much to tell. */
  #finish(uid: string): readonly ClusterEvent[] | undefined {
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

  #sleep(waiting: Waiting): void {
    const { key } = waiting.pod.demand;
    const { refusedBy } = waiting.pod;
    this.#unschedulable.set(key, waiting);
    if (waiting.until < Infinity) this.#resting.push(waiting);
    const name = [...refusedBy].sort().join();
    let group = this.#byRefusers.get(name);
    if (group === undefined) this.#byRefusers.set(name, (group = { refusedBy, keys: new Set() }));
    group.keys.add(key);
  }

  #forget(key: string): void {
    const waiting = this.#unschedulable.get(key);
    if (waiting === undefined) return;
    this.#unschedulable.delete(key);
    this.#resting.remove(key);
    const name = [...waiting.pod.refusedBy].sort().join();
    const group = this.#byRefusers.get(name);
    group?.keys.delete(key);
    if (group?.keys.size === 0) this.#byRefusers.delete(name);
  }

  #wake(pod: QueuedPod): void {
    this.#forget(pod.demand.key);
    this.#backOff(pod);
  }

  #backOff(pod: QueuedPod): void {
    const { backoffInitialMs = BACKOFF_MS_INITIAL, backoffMaxMs = BACKOFF_MS_MAX } = this.#options;
    const delay = Math.min(backoffMaxMs, backoffInitialMs * 2 ** Math.max(0, pod.attempts - 1));
    // Counted from the try, so that a pod woken late need not wait again.
    const until = pod.attempts === 0 ? 0 : pod.triedAt + delay;
    if (until <= this.#options.clock.monotonic()) {
      this.#backoff.remove(pod.demand.key);
      this.#activate(pod);
      return;
    }
    this.#backoff.push({ pod, until });
    this.#arm();
  }

  #activate(pod: QueuedPod): void {
    const refusal = this.#options.admit?.(pod.demand);
    if (refusal !== undefined) {
      pod.refusedBy = new Set([refusal.plugin]);
      // Gated is not tried and found wanting: only an event lets it in.
      this.#sleep({ pod, until: Infinity });
      return;
    }
    this.#active.push(pod);
    this.#options.onReady();
  }

  /** One timer, for whoever is due first. */
  #arm(): void {
    const next = Math.min(this.#backoff.peek()?.until ?? Infinity, this.#resting.peek()?.until ?? Infinity);
    if (next >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = next;
    const delay = Math.max(0, next - this.#options.clock.monotonic());
    this.#timer = this.#options.clock.after(delay, () => this.#due(), { background: true });
  }

  #due(): void {
    this.#timerAt = Infinity;
    const now = this.#options.clock.monotonic();
    for (let top = this.#backoff.peek(); top !== undefined && top.until <= now; top = this.#backoff.peek()) {
      this.#backoff.pop();
      this.#activate(top.pod);
    }
    for (let top = this.#resting.peek(); top !== undefined && top.until <= now; top = this.#resting.peek()) {
      this.#forget(top.pod.demand.key);
      this.#activate(top.pod);
    }
    this.#arm();
  }
}
