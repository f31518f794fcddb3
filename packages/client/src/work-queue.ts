import { BoundedQueue, delayUntil, Heap } from '@binnacle/base';
import type { Clock, QueueMeter, Timer } from '@binnacle/base';
import type { WorkQueue } from './ports.ts';

/** A queue's name and how it slows retries down. */
export interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Delay of a key's first retry; doubles with each further one. Default 5 ms. */
  readonly baseDelayMs?: number;
  /** Default 1,000,000 ms. */
  readonly maxDelayMs?: number;
  /** Retries per second of the whole queue, in the long run. Default 10. */
  readonly qps?: number;
  /** Retries that may come at once. Default 100. */
  readonly burst?: number;
  /** Absent: nobody keeps score. */
  readonly meter?: QueueMeter;
}

/** Keys are distinct, so this is a bound on objects; beyond it adding throws QueueFullError. */
const KEYS_MAX = 4_000_000;

/** The queue of one controller. The defaults are upstream's. One timer at most, for the earliest delayed key. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyQueue(options);
}

interface Delayed {
  readonly key: string;
  readonly at: number;
}

class KeyQueue implements WorkQueue {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #bucket: Bucket;
  readonly #meter: QueueMeter | undefined;
  readonly #ready: BoundedQueue<string>;
  /** In the queue, or to be put there again after `done`. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #waiters: ((key: string | undefined) => void)[] = [];
  readonly #delayed = new Heap<Delayed>((a, b) => a.at < b.at);
  readonly #dueAt = new Map<string, number>();
  #timer: { readonly handle: Timer; readonly at: number } | undefined;
  #down = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#baseMs = options.baseDelayMs ?? 5;
    this.#maxMs = options.maxDelayMs ?? 1_000_000;
    this.#bucket = new Bucket(options.clock, options.qps ?? 10, options.burst ?? 100);
    this.#meter = options.meter;
    this.#ready = new BoundedQueue(options.name, KEYS_MAX);
  }

  get length(): number {
    return this.#ready.length;
  }

  add(key: string): void {
    if (this.#down || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    this.#meter?.added(key);
    if (!this.#processing.has(key)) this.#offer(key);
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#down) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.monotonic() + delayMs;
    const due = this.#dueAt.get(key);
    if (due !== undefined && due <= at) return;
    this.#dueAt.set(key, at);
    this.#delayed.push({ key, at });
    this.#arm();
  }

  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#meter?.retried();
    const own = Math.min(this.#baseMs * 2 ** failures, this.#maxMs);
    this.addAfter(key, Math.max(own, this.#bucket.reserve()));
  }

  isDelayed(key: string): boolean {
    return this.#dueAt.has(key);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  next(): Promise<string | undefined> {
    const key = this.#take();
    if (key !== undefined || this.#down) return Promise.resolve(key);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  done(key: string): void {
    this.#processing.delete(key);
    this.#meter?.done(key);
    if (this.#dirty.has(key) && !this.#down) this.#offer(key);
  }

  shutDown(): void {
    this.#down = true;
    this.#timer?.handle.cancel();
    this.#timer = undefined;
    this.#delayed.clear();
    this.#dueAt.clear();
    for (const waiter of this.#waiters.splice(0)) waiter(undefined);
    this.#meter?.ended();
  }

  #offer(key: string): void {
    this.#ready.push(key);
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter(this.#take());
  }

  #take(): string | undefined {
    if (this.#down) return undefined;
    const key = this.#ready.shift();
    if (key === undefined) return undefined;
    this.#dirty.delete(key);
    this.#processing.add(key);
    this.#meter?.taken(key);
    return key;
  }

  #arm(): void {
    const first = this.#delayed.peek();
    if (first === undefined || (this.#timer !== undefined && this.#timer.at <= first.at)) return;
    this.#timer?.handle.cancel();
    const wait = delayUntil(this.#clock, first.at);
    this.#timer = { at: first.at, handle: this.#clock.after(wait, () => this.#ring(), { background: true }) };
  }

  #ring(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#delayed.peek(); first !== undefined && first.at <= now; first = this.#delayed.peek()) {
      this.#delayed.pop();
      // A key that was asked for earlier in the meantime leaves an entry behind which no longer counts.
      if (this.#dueAt.get(first.key) !== first.at) continue;
      this.#dueAt.delete(first.key);
      this.add(first.key);
    }
    this.#arm();
  }
}

/** A token bucket that lends: a reservation says how long to wait for its token. */
class Bucket {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, qps: number, burst: number) {
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  reserve(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#qps) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }
}
