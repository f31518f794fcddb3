import { status } from '@binnacle/machinery';

/** Bytes of replies that may be left untaken at once. */
export interface UnsentBounds {
  /** By one user. */
  readonly userBytesMax: number;
  /** By all users together. */
  readonly totalBytesMax: number;
}

const BOUNDS: UnsentBounds = { userBytesMax: 96 << 20, totalBytesMax: 384 << 20 };

/** What replies weigh that are made and not taken yet: whoever asks and does not read has the server keep the answers. */
export class UnsentReplies {
  readonly #bounds: UnsentBounds;
  readonly #byUser = new Map<string, number>();
  #bytes = 0;

  constructor(bounds: UnsentBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Throws 429 where so much more would be too much for a user, or for all: before it is made. A single reply may be of
   * any size.
   */
  check(user: string, bytes: number): void {
    const { userBytesMax, totalBytesMax } = this.#bounds;
    const held = this.#byUser.get(user) ?? 0;
    if ((held > 0 && held + bytes > userBytesMax) || (this.#bytes > 0 && this.#bytes + bytes > totalBytesMax)) {
      throw tooMuch();
    }
  }

  /** Counts a reply until the answer is called. Throws as `check`. */
  hold(user: string, bytes: number): () => void {
    this.check(user, bytes);
    this.#add(user, bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(user, -bytes);
    };
  }

  #add(user: string, bytes: number): void {
    this.#bytes += bytes;
    const sum = (this.#byUser.get(user) ?? 0) + bytes;
    if (sum === 0) this.#byUser.delete(user);
    else this.#byUser.set(user, sum);
  }
}

function tooMuch(): Error {
  return status.tooManyRequests('Too many bytes in replies that are not read, please try again later.', 1);
}
