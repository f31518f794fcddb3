import { startBinnacle } from './child.ts';
import type { BinnacleProcess, StartWish } from './child.ts';

/** Processes of one cluster: none is left when it ends, however that comes about. */
export class ProcessGroup {
  readonly #started: BinnacleProcess[] = [];

  /** Starts one more, as `startBinnacle`; it ends with the others. */
  async start(args: readonly string[], wish?: StartWish): Promise<BinnacleProcess> {
    const started = await startBinnacle(args, wish);
    this.#started.push(started);
    return started;
  }

  /**
   * Ends them, the first one last: it is the API server, and the others say good-bye to it. Each is ended, whatever became
   * of those before it; rejects with the first failure.
   */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const one of this.#started.splice(0).toReversed()) {
      await one.stop().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** SIGKILL for all of them at once. */
  async kill(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((one) => one.kill()));
  }
}
