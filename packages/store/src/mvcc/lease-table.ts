import type { Key } from '../ports.ts';

/** A lease as it stands now. */
export interface Lease {
  readonly id: number;
  readonly grantedTtl: number;
  /** On the monotonic clock, milliseconds. */
  expiresAt: number;
  readonly keys: Set<Key>;
}

interface Due {
  readonly at: number;
  readonly lease: Lease;
}

/**
 * The leases and, in a heap, when each one has to be looked at next. A kept-alive lease stays where it is in the heap
 * and is put back when its old time comes, so keeping alive costs nothing.
 */
export class LeaseTable {
  readonly #leases = new Map<number, Lease>();
  readonly #heap: Due[] = [];

  get size(): number {
    return this.#leases.size;
  }

  get(id: number): Lease | undefined {
    return this.#leases.get(id);
  }

  ids(): number[] {
    return [...this.#leases.keys()].toSorted((a, b) => a - b);
  }

  all(): Iterable<Lease> {
    return this.#leases.values();
  }

  add(lease: Omit<Lease, 'keys'>): void {
    const full: Lease = { ...lease, keys: new Set() };
    this.#leases.set(lease.id, full);
    this.#push({ at: lease.expiresAt, lease: full });
  }

  /** Puts back one that was removed, or was taken as expired; it is looked at again when `at` comes. */
  bringBack(lease: Lease, at: number): void {
    this.#leases.set(lease.id, lease);
    this.#push({ at: Math.max(at, lease.expiresAt), lease });
  }

  remove(id: number): void {
    this.#leases.delete(id);
  }

  /** Moves a key from the lease that held it to the one that holds it now; 0 is no lease. */
  move(key: Key, from: number, to: number): void {
    if (from === to) return;
    if (from !== 0) this.#leases.get(from)?.keys.delete(key);
    if (to !== 0) this.#leases.get(to)?.keys.add(key);
  }

  /** When something may expire next; undefined when nothing can. */
  nextDue(): number | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#leases.get(top.lease.id) !== top.lease) this.#pop();
      else if (top.lease.expiresAt > top.at) {
        this.#pop();
        this.#push({ at: top.lease.expiresAt, lease: top.lease });
      } else return top.at;
    }
    return undefined;
  }

  /** Takes one expired lease from the heap; it stays in the table until removed. */
  takeExpired(now: number): Lease | undefined {
    const due = this.nextDue();
    if (due === undefined || due > now) return undefined;
    return this.#pop()?.lease;
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let i = heap.push(due) - 1;
    for (let parent = (i - 1) >> 1; i > 0; parent = (i - 1) >> 1) {
      const above = heap[parent];
      if (above === undefined || above.at <= due.at) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      const left = heap[child];
      const right = heap[child + 1];
      const useRight = left !== undefined && right !== undefined && right.at < left.at;
      const lower = useRight ? right : left;
      if (lower === undefined || lower.at >= last.at) break;
      heap[i] = lower;
      i = useRight ? child + 1 : child;
    }
    heap[i] = last;
    return top;
  }
}
