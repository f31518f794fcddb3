import { Heap } from '@binnacle/base';
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
  readonly #heap = new Heap<Due>((a, b) => a.at < b.at);

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
    this.#heap.push({ at: lease.expiresAt, lease: full });
  }

  /** Puts back one that was removed, or was taken as expired; it is looked at again when `at` comes. */
  bringBack(lease: Lease, at: number): void {
    this.#leases.set(lease.id, lease);
    this.#heap.push({ at: Math.max(at, lease.expiresAt), lease });
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
    for (let top = this.#heap.peek(); top !== undefined; top = this.#heap.peek()) {
      if (this.#leases.get(top.lease.id) !== top.lease) this.#heap.pop();
      else if (top.lease.expiresAt > top.at) {
        this.#heap.pop();
        this.#heap.push({ at: top.lease.expiresAt, lease: top.lease });
      } else return top.at;
    }
    return undefined;
  }

  /** Takes one expired lease from the heap; it stays in the table until removed. */
  takeExpired(now: number): Lease | undefined {
    const due = this.nextDue();
    if (due === undefined || due > now) return undefined;
    return this.#heap.pop()?.lease;
  }
}
