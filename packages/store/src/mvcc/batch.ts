import type { Change, Entry } from './entry.ts';
import type { Lease } from './lease-table.ts';
import type { Tree } from './ordered-map.ts';

interface Waiter {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly value: unknown;
}

/** A lease that was granted or revoked, and what it was before: undefined where it was not. */
export interface LeaseChange {
  readonly id: number;
  readonly before: Lease | undefined;
}

/** Transactions that become durable and visible together, and who waits for that. */
export class Batch {
  readonly changes: Change[] = [];
  readonly leaseChanges: LeaseChange[] = [];
  readonly #waiters: Waiter[] = [];
  /** Whether there is something to commit: changes or lease records. */
  written = false;
  bytes = 0;
  revision = 0;
  tree: Tree<Entry> | undefined;

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves with the value when the batch is durable and the watchers have heard of it. */
  answer<T>(value: T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiters.push({ resolve, reject, value });
    });
  }

  settle(): void {
    for (const waiter of this.#waiters) waiter.resolve(waiter.value as never);
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }
}
