import type { Clock, Timer } from '@binnacle/base';
import type { ClusterEvent, QueuedPod } from '../framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { Heap } from './heap.ts';

const BACKOFF_MS_INITIAL = 1_000;
const BACKOFF_MS_MAX = 10_000;
/** A pod that no event woke is tried again after this long, in case a hint was wrong. */
const UNSCHEDULABLE_MS_MAX = 5 * 60_000;

interface Waiting {
  readonly pod: QueuedPod;
  readonly until: number;
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly sort: (a: QueuedPod, b: QueuedPod) => number;
  /** Whether an event may help a pod that these plugins refused. */
  readonly wakes: (event: ClusterEvent, refusedBy: ReadonlySet<string>) => boolean;
  /** The active queue has something to take. */
  readonly onReady: () => void;
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
  readonly #active: Heap<QueuedPod>;
  readonly #backoff: Heap<Waiting>;
  readonly #unschedulable = new Map<string, Waiting>();
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#active = new Heap<QueuedPod>(
      (a, b) => options.sort(a, b) < 0,
      (p) => p.demand.key,
    );
    this.#backoff = new Heap<Waiting>(
      (a, b) => a.until < b.until,
      (w) => w.pod.demand.key,
    );
  }

  /** How many pods wait, by place. */
  get lengths(): { readonly active: number; readonly backoff: number; readonly unschedulable: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size };
  }

  /** A pod that is to be scheduled, new or changed. A change of a waiting pod counts as an event for it alone. */
  add(demand: PodDemand): void {
    const waiting = this.#unschedulable.get(demand.key)?.pod ?? this.#backoff.get(demand.key)?.pod;
    if (waiting !== undefined && waiting.demand.uid === demand.uid) {
      const place = this.#unschedulable.get(demand.key);
      const renewed = { ...waiting, demand };
      if (place === undefined) this.#backOff(renewed);
      else if (this.#options.wakes('UnscheduledPodUpdate', waiting.refusedBy)) this.#wake(renewed);
      else this.#unschedulable.set(demand.key, { pod: renewed, until: place.until });
      return;
    }
    this.remove(demand.key);
    this.#activate({ demand, since: this.#options.clock.monotonic(), attempts: 0, triedAt: 0, refusedBy: new Set() });
  }

  /** The next pod to schedule. */
  take(): QueuedPod | undefined {
    const pod = this.#active.pop();
    if (pod !== undefined) {
      pod.attempts++;
      pod.triedAt = this.#options.clock.monotonic();
    }
    return pod;
  }

  /** No node fits: waits for an event that may change that. */
  refuse(pod: QueuedPod, refusedBy: ReadonlySet<string>): void {
    pod.refusedBy = refusedBy;
    const until = this.#options.clock.monotonic() + UNSCHEDULABLE_MS_MAX;
    this.#unschedulable.set(pod.demand.key, { pod, until });
    this.#arm();
  }

  /** Something went wrong on the way: again after its back-off. */
  retry(pod: QueuedPod): void {
    this.#backOff(pod);
  }

  remove(key: string): void {
    this.#active.remove(key);
    this.#backoff.remove(key);
    this.#unschedulable.delete(key);
  }

  /** Something changed in the cluster: wakes the pods that it may help. */
  event(event: ClusterEvent): void {
    if (this.#unschedulable.size === 0) return;
    for (const { pod } of this.#unschedulable.values()) {
      if (this.#options.wakes(event, pod.refusedBy)) this.#wake(pod);
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#timerAt = Infinity;
  }

  #wake(pod: QueuedPod): void {
    this.#unschedulable.delete(pod.demand.key);
    this.#backOff(pod);
  }

  #backOff(pod: QueuedPod): void {
    const delay = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_INITIAL * 2 ** Math.max(0, pod.attempts - 1));
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
    this.#active.push(pod);
    this.#options.onReady();
  }

  /** One timer, for whoever is due first. */
  #arm(): void {
    let next = this.#backoff.peek()?.until ?? Infinity;
    // Insertion order is order of time: every entry waits equally long.
    const oldest = this.#unschedulable.values().next().value;
    if (oldest !== undefined) next = Math.min(next, oldest.until);
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
    for (const { pod, until } of this.#unschedulable.values()) {
      if (until > now) break;
      this.#unschedulable.delete(pod.demand.key);
      this.#activate(pod);
    }
    this.#arm();
  }
}
