import type { Clock, Timer } from '@binnacle/base';

/** What a loop runs. */
export interface PassOwner {
  /** Whether it may run now; undefined: it may; a promise: it is held until then. */
  readonly held: () => Promise<void> | undefined;
  readonly pass: () => Promise<void>;
  /** A pass did not come to its end. */
  readonly failed: (error: unknown) => void;
}

/** Runs passes one after the other: any number of wakes during a pass make one more pass. */
export class PassLoop {
  readonly #clock: Clock;
  readonly #owner: PassOwner;
  #dirty = false;
  #running = false;
  #closed = false;
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock, owner: PassOwner) {
    this.#clock = clock;
    this.#owner = owner;
  }

  wake(): void {
    this.#dirty = true;
    if (this.#running || this.#closed) return;
    this.#running = true;
    // Never rejects: a pass that fails is told.
    void this.#run();
  }

  /** One more pass behind the one that runs. */
  again(): void {
    this.#dirty = true;
  }

  /** The earliest counts. */
  wakeIn(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (this.#closed || at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.after(ms, () => {
      this.#timerAt = Infinity;
      this.wake();
    });
  }

  /** The pass that runs comes to its end; no other begins, and no failure is told. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #run(): Promise<void> {
    while (this.#dirty && !this.#closed) {
      const held = this.#owner.held();
      if (held !== undefined) await held;
      if (this.#closed) break;
      this.#dirty = false;
      try {
        await this.#owner.pass();
      } catch (error) {
        if (!this.#closed) this.#owner.failed(error);
      }
    }
    this.#running = false;
  }
}
