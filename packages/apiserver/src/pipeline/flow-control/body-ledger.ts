import { status } from '@binnacle/machinery';
import type { BodyMeter } from '../../request/api-request.ts';

/** Bytes of request bodies that one user may have in the server at once, and all of them. */
const USER_BYTES_MAX = 96 << 20;
const TOTAL_BYTES_MAX = 384 << 20;
/**
 * So many users are remembered who have no body in the server: a Map that loses its last entry makes its table anew, and each
 * old table outlives the young collections, because the one before it does.
 */
const USERS_KEPT = 64;

/** One request's share; `close` gives it back. */
export interface BodyAccount extends BodyMeter {
  close(): void;
}

/** What the bodies of requests weigh, from their first byte until the answer is made. */
export class BodyLedger {
  readonly #byUser = new Map<string, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** An account for the body of one request of this user. */
  open(user: string): BodyAccount {
    return new Account(this, user);
  }

  /** Counts so many bytes of a user. Throws 429 where that is too much. */
  take(user: string, bytes: number): void {
    const held = this.#add(user, bytes);
    if (this.#bytes > TOTAL_BYTES_MAX || held > USER_BYTES_MAX)
      throw status.tooManyRequests('Too many bytes in request bodies, please try again later.', 1);
  }

  giveBack(user: string, bytes: number): void {
    this.#add(user, -bytes);
  }

  #add(user: string, bytes: number): number {
    this.#bytes += bytes;
    const sum = (this.#byUser.get(user) ?? 0) + bytes;
    if (sum === 0 && this.#byUser.size > USERS_KEPT) this.#byUser.delete(user);
    else this.#byUser.set(user, sum);
    return sum;
  }
}

class Account implements BodyAccount {
  readonly #ledger: BodyLedger;
  readonly #user: string;
  #held = 0;

  constructor(ledger: BodyLedger, user: string) {
    this.#ledger = ledger;
    this.#user = user;
  }

  take(bytes: number): void {
    this.#held += bytes;
    this.#ledger.take(this.#user, bytes);
  }

  close(): void {
    this.#ledger.giveBack(this.#user, this.#held);
    this.#held = 0;
  }
}
