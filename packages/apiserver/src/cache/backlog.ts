import type { CacheEvent } from './event.ts';

/** A watcher that has events waiting. */
export interface Lagging {
  /** Bytes of the values that wait. */
  readonly waitingBytes: number;
  /** Ends the watch; its client can resume. */
  cutOff(): void;
}

/** What one watcher may have waiting, in events and in bytes of their values. */
export const WATCHER_BOUND = { events: 16_384, bytes: 64 << 20 };
/** What all watchers together keep alive; an event that many wait for counts once. */
const TOTAL_BYTES_MAX = 256 << 20;

/**
 * The events that watchers have not handed out yet (law 10). Above the bound the watcher that has most waiting is
 * cut off, until the rest fits: whoever reads is not disturbed by whoever does not.
 */
export class Backlog {
  readonly #bytesMax: number;
  readonly #lagging = new Set<Lagging>();
  #bytes = 0;

  constructor(bytesMax = TOTAL_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `watcher` keeps the event until it is released; it may be cut off before this returns. */
  hold(event: CacheEvent, watcher: Lagging): void {
    this.#lagging.add(watcher);
    if (event.holders++ > 0) return;
    this.#bytes += sizeOf(event);
    while (this.#bytes > this.#bytesMax) this.#cutLongest();
  }

  release(event: CacheEvent): void {
    if (--event.holders === 0) this.#bytes -= sizeOf(event);
  }

  /** The watcher has nothing waiting any more. */
  caughtUp(watcher: Lagging): void {
    this.#lagging.delete(watcher);
  }

  #cutLongest(): void {
    let longest: Lagging | undefined;
    for (const watcher of this.#lagging) {
      if (longest === undefined || watcher.waitingBytes > longest.waitingBytes) longest = watcher;
    }
    longest?.cutOff();
  }
}

function sizeOf({ before, after }: CacheEvent): number {
  return (before?.value.length ?? 0) + (after?.value.length ?? 0);
}
