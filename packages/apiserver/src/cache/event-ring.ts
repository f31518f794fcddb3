import type { CacheEvent } from './event.ts';

/**
 * The last events of one resource, oldest thrown away first: bounded by number and by the bytes of the values
 * that only the ring keeps alive. Serves watches that resume.
 */
export class EventRing {
  readonly #bound: number;
  readonly #bytesBound: number;
  #events: (CacheEvent | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  /** Everything after this revision is in the ring. */
  #since: number;

  constructor(since: number, bounds: { events: number; bytes: number }) {
    this.#since = since;
    this.#bound = bounds.events;
    this.#bytesBound = bounds.bytes;
  }

  get since(): number {
    return this.#since;
  }

  push(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    while (this.#events.length - this.#head > this.#bound || this.#bytes > this.#bytesBound) this.#drop();
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  /** The events after `revision`, or undefined when some of them are gone. */
  after(revision: number): readonly CacheEvent[] | undefined {
    if (revision < this.#since) return undefined;
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low).filter((event) => event !== undefined);
  }

  reset(since: number): void {
    this.#events = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#since = since;
  }

  #drop(): void {
    const oldest = this.#events[this.#head];
    if (oldest === undefined) return;
    this.#events[this.#head++] = undefined;
    this.#bytes -= sizeOf(oldest);
    this.#since = oldest.revision;
  }
}

function sizeOf(event: CacheEvent): number {
  return (event.before?.value.length ?? 0) + 64;
}
