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
  readonly #heap: Deadline[] = [];
  readonly #deadlines = new Map<string, { at: number; queued: number }>();

  /** Sets the name's one deadline, ms. */
  schedule(name: string, at: number): void {
    const known = this.#deadlines.get(name);
    if (known !== undefined && known.queued <= at) {
      known.at = at;
      return;
    }
    this.#deadlines.set(name, { at, queued: at });
    this.#push({ name, at });
  }

  cancel(name: string): void {
    this.#deadlines.delete(name);
  }

  /** One whose deadline has come, which has none any more; undefined when there is none left. */
  takeDue(now: number): string | undefined {
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      this.#pop();
      const known = this.#deadlines.get(first.name);
      // Cancelled, or brought forward by an entry of its own.
      if (known?.queued !== first.at) continue;
      if (known.at <= now) {
        this.#deadlines.delete(first.name);
        return first.name;
      }
      known.queued = known.at;
      this.#push({ name: first.name, at: known.at });
    }
    return undefined;
  }

  #push(entry: Deadline): void {
    const heap = this.#heap;
    let i = heap.push(entry) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || parent.at <= entry.at) break;
      heap[i] = parent;
      i = up;
    }
    heap[i] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let i = 0;
    for (;;) {
      const left = heap[2 * i + 1];
      const right = heap[2 * i + 2];
      if (left === undefined) break;
      const takeRight = right !== undefined && right.at < left.at;
      const child = takeRight ? right : left;
      if (child.at >= last.at) break;
      heap[i] = child;
      i = 2 * i + (takeRight ? 2 : 1);
    }
    heap[i] = last;
  }
}
