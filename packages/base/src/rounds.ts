import type { Clock, Timer } from './clock.ts';

/** Something that goes on until it is stopped. */
export interface Running {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Work that comes again and again, each time some milliseconds after the last time has ended. */
export interface RoundOptions {
  readonly clock: Clock;
  /** One round. */
  readonly run: () => Promise<void>;
  /** A round that failed is told here; the next one comes all the same. */
  readonly failed: (error: unknown) => void;
  /** Milliseconds from the end of a round to the next; asked after each. */
  readonly everyMs: number | (() => number);
  /** Milliseconds to the first round; without it the first begins at once. */
  readonly firstMs?: number;
}

/** Rounds that have begun: `first` resolves when the first has ended, however it ended. */
export interface Rounds extends Running {
  readonly first: Promise<void>;
}

/**
 * Begins rounds; they never overlap and keep no process alive. After `stop()` no further round begins, and the one
 * that runs is waited for: what it has written may be taken back then.
 */
export function startRounds(options: RoundOptions): Rounds {
  return new RepeatedRounds(options);
}

class RepeatedRounds implements Rounds {
  readonly first: Promise<void>;
  readonly #options: RoundOptions;
  readonly #ended = Promise.withResolvers<void>();
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: RoundOptions) {
    this.#options = options;
    this.first = this.#ended.promise;
    if (options.firstMs === undefined) this.#begin();
    else this.#arm(options.firstMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
    this.#ended.resolve();
  }

  #arm(delayMs: number): void {
    this.#timer = this.#options.clock.after(delayMs, () => this.#begin(), { background: true });
  }

  #begin(): void {
    this.#running = this.#round();
  }

  /** Never rejects: what failed is told. */
  async #round(): Promise<void> {
    const { run, failed, everyMs } = this.#options;
    try {
      await run();
    } catch (error) {
      if (!this.#isStopped) failed(error);
    }
    this.#ended.resolve();
    if (!this.#isStopped) this.#arm(typeof everyMs === 'number' ? everyMs : everyMs());
  }
}
