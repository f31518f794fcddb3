import { jitter } from '@binnacle/base';
import type { Random } from '@binnacle/base';

export interface BackoffOptions {
  readonly random: Random;
  /** The first delay. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Each delay is lengthened by up to this part of itself. */
  readonly jitterFactor: number;
}

/** Doubling delays with jitter, so that a crowd of clients does not come back at the same moment. */
export class Backoff {
  readonly #options: BackoffOptions;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#nextMs = options.baseMs;
  }

  /** How long to wait now. */
  nextMs(): number {
    const delay = jitter(this.#options.random, this.#nextMs, this.#options.jitterFactor);
    this.#nextMs = Math.min(this.#nextMs * 2, this.#options.maxMs);
    return delay;
  }

  reset(): void {
    this.#nextMs = this.#options.baseMs;
  }
}
