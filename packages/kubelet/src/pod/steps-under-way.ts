/** What a runtime was asked for and has not answered. */
import type { Clock, Logger } from '@binnacle/base';

/** One step of the runtime. */
export interface RuntimeStep {
  /** As the log tells it. */
  readonly name: string;
  /** Whose it is. */
  readonly subject: { readonly [field: string]: unknown };
  /** Milliseconds that it may take by what was asked for, such as the grace of a stop. */
  readonly mayTakeMs: number;
}

/** From here on a step takes long, milliseconds beyond what it may take. */
const LONG_MS = 30_000;

/** A pod whose runtime does not answer looks as if its kubelet had forgotten it: steps that take long are told. */
export class StepsUnderWay {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** When each began, by a monotonic clock. */
  readonly #began = new Map<RuntimeStep, number>();

  constructor(of: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = of.clock;
    this.#log = of.log;
  }

  /** A step has begun; call what it answers with once it is over. */
  begin(step: RuntimeStep): () => void {
    this.#began.set(step, this.#clock.monotonic());
    return () => this.#began.delete(step);
  }

  /** Tells of those that take long, at each call again. */
  tell(): void {
    const now = this.#clock.monotonic();
    for (const [{ name, subject, mayTakeMs }, began] of this.#began) {
      const tookMs = now - began;
      if (tookMs < mayTakeMs + LONG_MS) continue;
      this.#log.warn(`Runtime: ${name} has not been answered yet`, { ...subject, seconds: Math.round(tookMs / 1000) });
    }
  }
}
