import type { Clock, Timer } from './clock.ts';

/** How names that are due are looked after. */
export interface DueNamesOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Brings what is behind one name up to date. Names may become due again meanwhile. */
  readonly bring: (name: string) => Promise<void>;
  /** Judges a failure, and tells of it; true: the name is tried again by itself. */
  readonly failed: (name: string, error: unknown) => boolean;
  /** Milliseconds to the first further try of a name, doubled with each up to the longest. */
  readonly retryMs: { readonly first: number; readonly longest: number };
}

interface Failed {
  readonly times: number;
  readonly timer: Timer;
}

/**
 * Names whose objects are to be looked at: one after the other, in the order in which they became due, each once however
 * often it was named meanwhile. Each that failed has its own time to be tried again. No process is kept alive by it.
 */
export class DueNames {
  readonly #options: DueNamesOptions;
  readonly #due = new Set<string>();
  /** Those that failed the last time; bounded by what `failed` wants to be tried again. */
  readonly #failed = new Map<string, Failed>();
  #working: Promise<void> | undefined;
  #isOver = false;

  constructor(options: DueNamesOptions) {
    this.#options = options;
  }

  /** The name is looked at, though not within this call: changes that come together are seen together. */
  add(name: string): void {
    if (this.#isOver) return;
    this.#due.add(name);
    this.#working ??= this.#work();
  }

  /** Resolves when nothing is due. What waits to be tried again is not waited for. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Nothing is begun any more; resolves when the one that is under way has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const { timer } of this.#failed.values()) timer.cancel();
    this.#failed.clear();
    await this.#working;
  }

  /** Never rejects: failures are told. */
  async #work(): Promise<void> {
    await Promise.resolve();
    for (let [name] = this.#due; name !== undefined && !this.#isOver; [name] = this.#due) {
      this.#due.delete(name);
      await this.#bring(name);
    }
    // In the same turn in which nothing was found: a name that comes now begins anew.
    this.#working = undefined;
  }

  async #bring(name: string): Promise<void> {
    try {
      await this.#options.bring(name);
      this.#forget(name);
    } catch (error) {
      if (!this.#isOver) this.#fail(name, error);
    }
  }

  #fail(name: string, error: unknown): void {
    const { clock, failed, retryMs } = this.#options;
    const times = (this.#failed.get(name)?.times ?? 0) + 1;
    this.#forget(name);
    if (!failed(name, error)) return;
    const delayMs = Math.min(retryMs.first * 2 ** (times - 1), retryMs.longest);
    const timer = clock.after(delayMs, () => this.add(name), { background: true });
    this.#failed.set(name, { times, timer });
  }

  #forget(name: string): void {
    this.#failed.get(name)?.timer.cancel();
    this.#failed.delete(name);
  }
}
