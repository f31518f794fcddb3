import type { QueuedPod } from '../plan/framework.ts';
import { KeyedHeap } from './keyed-heap.ts';
import type { Sleeper } from './sleeping-pods.ts';

/** How long a pod waits after its first try in vain, and at the most, where nobody says otherwise; as upstream. */
export const BACKOFF_MS = { initial: 1_000, max: 10_000 } as const;
/** Pods whose time comes within one of these are in line as if they were active: the important ones first (KEP-5142). */
const WINDOW_MS = 1_000;

export interface BackoffOptions {
  /** The order of the active queue. */
  readonly sort: (a: QueuedPod, b: QueuedPod) => number;
  /** Milliseconds; upstream's 1 s and 10 s where absent. */
  readonly initialMs?: number | undefined;
  readonly maxMs?: number | undefined;
}

/**
 * Pods that were tried in vain and are worth another try, in a while: after 1 s, 2 s, 4 s, … Those that no node fitted
 * may be tried before their time where nobody else is in line; those whose try broke may not, so that whatever is broken is
 * left alone. Times are milliseconds of the monotonic clock, keys `namespace/name`.
 */
export class BackoffPods {
  readonly #options: BackoffOptions;
  readonly #refused: KeyedHeap<Sleeper>;
  readonly #broken: KeyedHeap<Sleeper>;

  constructor(options: BackoffOptions) {
    this.#options = options;
    const keyOf = ({ pod }: Sleeper): string => pod.demand.key;
    this.#refused = new KeyedHeap<Sleeper>((a, b) => (a.until - b.until || options.sort(a.pod, b.pod)) < 0, keyOf);
    this.#broken = new KeyedHeap<Sleeper>((a, b) => a.until < b.until, keyOf);
  }

  get size(): number {
    return this.#refused.size + this.#broken.size;
  }

  /** In no order. */
  *pods(): Iterable<QueuedPod> {
    for (const { items } of [this.#refused, this.#broken]) for (const { pod } of items) yield pod;
  }

  get(key: string): QueuedPod | undefined {
    return (this.#refused.get(key) ?? this.#broken.get(key))?.pod;
  }

  remove(key: string): void {
    this.#refused.remove(key);
    this.#broken.remove(key);
  }

  /** When a pod is to be tried again: counted from its last try, so that one that is woken late need not wait once more. */
  timeOf({ refusals, errorsInRow, triedAt }: QueuedPod): number {
    const { initialMs = BACKOFF_MS.initial, maxMs = BACKOFF_MS.max } = this.#options;
    const times = errorsInRow > 0 ? errorsInRow : refusals;
    if (times === 0) return 0;
    const at = triedAt + Math.min(maxMs, initialMs * 2 ** (times - 1));
    return errorsInRow > 0 ? at : Math.ceil(at / WINDOW_MS) * WINDOW_MS;
  }

  /** Adds a pod, or puts it in the place of the one of its name. */
  push(pod: QueuedPod): void {
    this.remove(pod.demand.key);
    (pod.errorsInRow > 0 ? this.#broken : this.#refused).push({ pod, until: this.timeOf(pod) });
  }

  /** Who may be tried though it is not yet time. */
  get early(): QueuedPod | undefined {
    return this.#refused.peek()?.pod;
  }

  /** When the next is due; Infinity: none is here. */
  get nextAt(): number {
    return Math.min(this.#refused.peek()?.until ?? Infinity, this.#broken.peek()?.until ?? Infinity);
  }

  /** Takes out all that are due. */
  takeDue(now: number): readonly QueuedPod[] {
    const due: QueuedPod[] = [];
    for (const heap of [this.#refused, this.#broken]) {
      for (let top = heap.peek(); top !== undefined && top.until <= now; top = heap.peek()) {
        heap.pop();
        due.push(top.pod);
      }
    }
    return due;
  }
}
