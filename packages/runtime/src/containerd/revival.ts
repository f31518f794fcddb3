import type { Timer } from '@binnacle/base';
import type { Runtime } from '../ports.ts';
import { type ContainerdOptions, startContainerd } from './supervisor.ts';

const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

/**
 * Starts a private containerd again when it dies; its pods go on meanwhile. That it died is heard from the events of a
 * connection to it, so nothing polls, and one that somebody else started is watched as well as our own child. `stop`
 * before ending it on purpose.
 */
export function reviveContainerd(options: ContainerdOptions, runtime: Pick<Runtime, 'events'>): { stop(): void } {
  const revival = new Revival(options);
  const events = runtime.events({ event: () => undefined, lost: () => revival.look() });
  return {
    stop() {
      events.stop();
      revival.stop();
    },
  };
}

class Revival {
  readonly #options: ContainerdOptions;
  #looking = false;
  #stopped = false;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: Timer | undefined;

  constructor(options: ContainerdOptions) {
    this.#options = options;
  }

  /** Joins the one that runs, or starts one. */
  look(): void {
    if (this.#looking || this.#stopped || this.#timer !== undefined) return;
    this.#looking = true;
    // Never rejects: what fails is logged and tried again.
    void this.#start().finally(() => (this.#looking = false));
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #start(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      const { joined, pid } = await startContainerd(this.#options);
      if (!joined) log.warn('containerd had died and was started again', { pid });
      this.#pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      log.error(error, 'containerd died and does not start', { retryMs: this.#pauseMs });
      if (this.#stopped) return;
      this.#timer = clock.after(this.#pauseMs, () => {
        this.#timer = undefined;
        this.look();
      });
      this.#pauseMs = Math.min(this.#pauseMs * 2, LAST_PAUSE_MS);
    }
  }
}
