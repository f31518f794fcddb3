/** What one isolate's heap has, in bytes. */
export interface HeapSizes {
  /** Objects, dead ones not yet collected included. */
  readonly used: number;
  /** What the heap holds of the system's memory. */
  readonly total: number;
}

export interface IdleCollectionWorld {
  /** From 0 to 1: how busy the thread was since the last call. */
  utilization(): number;
  heap(): HeapSizes;
  /**
   * Collects everything and gives the pages back. Takes about a millisecond per megabyte in use. All is collected again when
   * what is left has grown by so many hundredths; 0: when the engine likes.
   */
  collect(growthPercent: number): void;
}

const BUSY = 0.1;
const MEGABYTE = 1 << 20;
/** Less is not worth a pause; nor is less than this share of a large heap, whose pause is long. */
const SLACK_BYTES_MIN = 16 * MEGABYTE;
const SLACK_SHARE_MIN = 0.25;
/** What a collection is taken to cost, milliseconds per megabyte in use. */
const PAUSE_PER_MEGABYTE = 1;
/** A thread has to have rested so many times as long as the pause that it will get. */
const REST_FACTOR = 10;
/**
 * After a collection that gives everything back V8 lets the heap grow by a few megabytes until it marks all of it once
 * more: a server of 30 MB that was asked after a rest did so three times a second, which took its helper threads as much
 * CPU as the requests took, and the main thread steps of tens of milliseconds. So a heap of this size at most may double;
 * larger ones grow by enough of themselves.
 */
const SMALL_HEAP_BYTES = 128 * MEGABYTE;
const SMALL_HEAP_GROWTH_PERCENT = 100;

/**
 * Gives memory back after a burst of work. V8 keeps the pages that a burst left empty, for the next one, and its own
 * reducer judges by the allocation rate of the burst long after it is over; so a thread that has come to rest
 * collects once itself. Owned by a timer that calls `tick` every `periodMs`.
 */
export class IdleCollection {
  readonly #world: IdleCollectionWorld;
  readonly #periodMs: number;
  #restedMs = 0;
  /** What the heap held after the last collection, and at most since. */
  #floor = 0;
  #peak = 0;

  constructor(world: IdleCollectionWorld, periodMs: number) {
    this.#world = world;
    this.#periodMs = periodMs;
  }

  tick(): void {
    const { used, total } = this.#world.heap();
    this.#peak = Math.max(this.#peak, total);
    this.#restedMs = this.#world.utilization() > BUSY ? 0 : this.#restedMs + this.#periodMs;
    if (this.#peak - this.#floor < Math.max(SLACK_BYTES_MIN, this.#floor * SLACK_SHARE_MIN)) return;
    if (this.#restedMs < (used / MEGABYTE) * PAUSE_PER_MEGABYTE * REST_FACTOR) return;
    this.#world.collect(used < SMALL_HEAP_BYTES ? SMALL_HEAP_GROWTH_PERCENT : 0);
    this.#floor = this.#world.heap().total;
    this.#peak = this.#floor;
    this.#restedMs = 0;
  }
}
