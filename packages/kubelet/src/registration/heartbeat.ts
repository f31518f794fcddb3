import type { Clock, Scope, Timer } from '@binnacle/base';

export interface Heart {
  beat(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly scope: Scope;
  /** Each heart beats once in this time. */
  readonly periodMs: number;
}

const TICKS_MAX = 100;

/**
 * One timer for all nodes of a process. Hearts beat in turn, evenly over the period, so that thousands of Leases are
 * not renewed in one burst; a lone node wakes the process once per period.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #hearts: Heart[] = [];
  #cursor = 0;
  #timer: Timer | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    options.scope.defer(() => this.#timer?.cancel());
  }

  /** The first beat is its owner's business. Answers with how to stop it. */
  add(heart: Heart): () => void {
    this.#hearts.push(heart);
    if (this.#timer === undefined) this.#plan();
    return () => {
      const index = this.#hearts.indexOf(heart);
      if (index !== -1) this.#hearts.splice(index, 1);
    };
  }

  #plan(): void {
    const { clock, periodMs, scope } = this.#options;
    if (scope.closing) return;
    const ticks = Math.min(TICKS_MAX, Math.max(1, this.#hearts.length));
    this.#timer = clock.after(periodMs / ticks, () => {
      this.#tick(Math.ceil(this.#hearts.length / ticks));
      this.#plan();
    });
  }

  #tick(count: number): void {
    for (let i = 0; i < Math.min(count, this.#hearts.length); i++) {
      this.#cursor = (this.#cursor + 1) % this.#hearts.length;
      // Never rejects: a heart tells its own failures.
      void this.#hearts[this.#cursor]?.beat();
    }
  }
}
