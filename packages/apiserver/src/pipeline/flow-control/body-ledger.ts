import { status } from '@binnacle/machinery';
import type { BodyMeter } from '../../request/api-request.ts';

/** Bytes of request bodies that one user may have in the server at once, and all of them. */
const USER_BYTES_MAX = 96 << 20;
const TOTAL_BYTES_MAX = 384 << 20;

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
    let held = 0;
    return {
      take: (bytes) => {
        held += bytes;
        this.#add(user, bytes);
        if (this.#bytes > TOTAL_BYTES_MAX || (this.#byUser.get(user) ?? 0) > USER_BYTES_MAX)
          throw status.tooManyRequests('Too many bytes in request bodies, please try again later.', 1);
      },
      close: () => {
        this.#add(user, -held);
        held = 0;
      },
    };
  }

  #add(user: string, bytes: number): void {
    this.#bytes += bytes;
    const sum = (this.#byUser.get(user) ?? 0) + bytes;
    if (sum === 0) this.#byUser.delete(user);
    else this.#byUser.set(user, sum);
  }
}
