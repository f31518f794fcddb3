import { Heap } from '@binnacle/base';

interface Deadline {
  readonly name: string;
  readonly at: number;
}

/**
 * Names with a deadline each, the earliest first. Putting one off costs nothing: the heap keeps the earlier entry and
 * looks at it again when it comes up, so a heartbeat moves no heap. At most one entry for each name, and one more
 * where a deadline was brought forward.
 */
export class DeadlineHeap {
  readonly #heap = new Heap<Deadline>((a, b) => a.at < b.at);
  readonly #deadlines = new Map<string, { at: number; queued: number }>();

  /** Sets the name's one deadline, ms. */
  schedule(name: string, at: number): void {
    const known = this.#deadlines.get(name);
    if (known !== undefined && known.queued <= at) {
      known.at = at;
      return;
    }
    this.#deadlines.set(name, { at, queued: at });
    this.#heap.push({ name, at });
  }

  cancel(name: string): void {
    this.#deadlines.delete(name);
  }

  /** One whose deadline has come, which has none any more; undefined when there is none left. */
  takeDue(now: number): string | undefined {
    for (let first = this.#heap.peek(); first !== undefined && first.at <= now; first = this.#heap.peek()) {
      this.#heap.pop();
      const known = this.#deadlines.get(first.name);
      // Cancelled, or brought forward by an entry of its own.
      if (known?.queued !== first.at) continue;
      if (known.at <= now) {
        this.#deadlines.delete(first.name);
        return first.name;
      }
      known.queued = known.at;
      this.#heap.push({ name: first.name, at: known.at });
    }
    return undefined;
  }
}
