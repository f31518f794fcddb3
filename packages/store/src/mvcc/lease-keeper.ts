import type { Clock, Timer } from '@binnacle/base';
import type { LeaseRecord } from './journal.ts';
import type { Lease, LeaseTable } from './lease-table.ts';

export interface LeaseKeeperParts {
  readonly clock: Clock;
  readonly leases: LeaseTable;
  readonly expire: (lease: Lease) => void;
}

const AGAIN_MS = 1000;

/** The time of the leases: one timer for the earliest expiry, whatever their number. */
export class LeaseKeeper {
  readonly #parts: LeaseKeeperParts;
  #set: { readonly at: number; readonly timer: Timer } | undefined;
  #lastId = 0;
  #closed = false;

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts;
  }

  /** Takes over what an earlier run wrote down. */
  restore(records: readonly LeaseRecord[]): void {
    for (const { id, grantedTtl, ttl } of records) this.#add(id, { grantedTtl, ttl });
    this.#arm();
  }

  /** Grants whole seconds, at least one; picks an id where none is wanted. */
  grant(ttlSeconds: number, wantedId: number): { readonly id: number; readonly ttl: number } {
    const ttl = Math.max(1, Math.ceil(ttlSeconds));
    const id = wantedId === 0 ? this.#pickId() : wantedId;
    this.#add(id, { grantedTtl: ttl, ttl });
    this.#arm();
    return { id, ttl };
  }

  keepAlive(lease: Lease): void {
    lease.expiresAt = this.#parts.clock.monotonic() + lease.grantedTtl * 1000;
  }

  /** One whose end could not be written down: it stands again, and expires a little later. */
  bringBack(lease: Lease): void {
    this.#parts.leases.bringBack(lease, this.#parts.clock.monotonic() + AGAIN_MS);
    this.#arm();
  }

  secondsLeft(lease: Lease): number {
    return Math.max(0, Math.floor((lease.expiresAt - this.#parts.clock.monotonic()) / 1000));
  }

  close(): void {
    this.#closed = true;
    this.#set?.timer.cancel();
  }

  #add(id: number, times: { readonly grantedTtl: number; readonly ttl: number }): void {
    const expiresAt = this.#parts.clock.monotonic() + times.ttl * 1000;
    this.#parts.leases.add({ id, grantedTtl: times.grantedTtl, expiresAt });
  }

  /** From the clock, so that ids are not given again after a restart. */
  #pickId(): number {
    this.#lastId = Math.max(this.#lastId + 1, this.#parts.clock.now() * 1024);
    while (this.#parts.leases.get(this.#lastId) !== undefined) this.#lastId++;
    return this.#lastId;
  }

  #arm(): void {
    const due = this.#parts.leases.nextDue();
    if (this.#closed || due === undefined || (this.#set !== undefined && this.#set.at <= due)) return;
    this.#set?.timer.cancel();
    const delay = Math.max(0, due - this.#parts.clock.monotonic());
    const timer = this.#parts.clock.after(delay, () => this.#onTimer(), { background: true });
    this.#set = { at: due, timer };
  }

  #onTimer(): void {
    this.#set = undefined;
    if (this.#closed) return;
    const { leases, expire } = this.#parts;
    const now = this.#parts.clock.monotonic();
    for (let lease = leases.takeExpired(now); lease !== undefined; lease = leases.takeExpired(now)) expire(lease);
    this.#arm();
  }
}
