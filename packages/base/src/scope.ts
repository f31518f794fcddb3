import type { Logger } from './logger.ts';
import { AbortedError, messageOf } from './error.ts';

type Cleanup = () => void | Promise<void>;

/**
 * What starts, stops. A scope owns tasks, clean-ups and child scopes; closing it aborts the signal,
 * closes the children, waits for the tasks, then runs the clean-ups in reverse order.
 */
export class Scope {
  readonly name: string;
  readonly #controller = new AbortController();
  readonly #tasks = new Set<Promise<void>>();
  readonly #children = new Set<Scope>();
  readonly #cleanups: Cleanup[] = [];
  readonly #parent: Scope | undefined;
  readonly #log: Logger | undefined;
  #closed: Promise<void> | undefined;

  constructor(name: string, options: { parent?: Scope; log?: Logger } = {}) {
    this.name = name;
    this.#parent = options.parent;
    this.#log = options.log;
    if (options.parent !== undefined) options.parent.#children.add(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get closing(): boolean {
    return this.#closed !== undefined;
  }

  /** One that ends with this; ended from the first where this is: nothing that is begun too late outlives it. */
  child(name: string): Scope {
    const child = new Scope(`${this.name}/${name}`, { parent: this, ...(this.#log ? { log: this.#log } : {}) });
    // Never rejects.
    if (this.#closed !== undefined) void child.close();
    return child;
  }

  /** Runs at close, last registered first. Runs at once when the scope is closed already. */
  defer(cleanup: Cleanup): void {
    if (this.#closed !== undefined) {
      // Never rejects: what goes wrong is logged.
      void this.#quietly('late clean-up', cleanup);
      return;
    }
    this.#cleanups.push(cleanup);
  }

  /** Starts a task that the scope waits for. A failure is logged; failing because of the abort is not a failure. */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void {
    const running = this.#quietly(name, () => task(this.signal)).finally(() => this.#tasks.delete(running));
    this.#tasks.add(running);
  }

  /** Stops everything in it. Calling again waits for the same end. */
  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async #shutDown(): Promise<void> {
    this.#controller.abort(new AbortedError(this.name));
    await Promise.all([...this.#children].map((c) => c.close()));
    await Promise.all(this.#tasks);
    for (let cleanup = this.#cleanups.pop(); cleanup !== undefined; cleanup = this.#cleanups.pop()) {
      await this.#quietly('clean-up', cleanup);
    }
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  async #quietly(what: string, run: Cleanup): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (this.signal.aborted && error === this.signal.reason) return;
      this.#log?.error(error, `${this.name}: ${what} failed`, { reason: messageOf(error) });
    }
  }
}
