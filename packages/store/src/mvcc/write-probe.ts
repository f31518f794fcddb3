import type { Clock } from '@binnacle/base';
import { StoreTimeoutError } from '../errors.ts';

export interface WriteProbeParts {
  readonly clock: Clock;
  /** Writes something that leaves no trace; rejects with what a write would meet. */
  readonly write: () => Promise<void>;
}

/** A look so old is a look of now. Bounds what probing costs, however often it is asked for. */
const FRESH_MS = 1000;
const ANSWER_MS_MAX = 1500;

interface Look {
  readonly at: number;
  readonly error: Error | undefined;
}

/** Whether writing works: from the last write where that was just now, else by a probe that all who ask share. */
export class WriteProbe {
  readonly #parts: WriteProbeParts;
  #last: Look | undefined;
  #underWay: Promise<void> | undefined;

  constructor(parts: WriteProbeParts) {
    this.#parts = parts;
  }

  /** A write just went well, or met this. */
  note(error?: Error): void {
    this.#last = { at: this.#parts.clock.monotonic(), error };
  }

  /** Rejects with StoreTimeoutError when the disk does not answer. */
  ask(): Promise<void> {
    const last = this.#last;
    if (last !== undefined && this.#parts.clock.monotonic() - last.at < FRESH_MS) {
      return last.error === undefined ? Promise.resolve() : Promise.reject(last.error);
    }
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  #look(): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        timer.cancel();
        this.note(error);
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = this.#parts.clock.after(ANSWER_MS_MAX, () =>
        end(new StoreTimeoutError('the disk does not answer')),
      );
      this.#parts.write().then(
        () => end(),
        (error: unknown) => end(error instanceof Error ? error : new StoreTimeoutError(String(error))),
      );
    });
  }
}
