import type { Clock, Timer } from '@binnacle/base';

export interface Bookmarked {
  bookmark(): void;
}

const INTERVAL_MS = 60_000;

/** One timer for all watchers that want bookmarks; none when there are no watchers (nothing polls). */
export class Bookmarks {
  readonly #clock: Clock;
  readonly #watchers = new Set<Bookmarked>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(watcher: Bookmarked): () => void {
    this.#watchers.add(watcher);
    this.#timer ??= this.#clock.after(INTERVAL_MS, () => this.#tick(), { background: true });
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.stop();
    };
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    for (const watcher of this.#watchers) watcher.bookmark();
    if (this.#watchers.size > 0) {
      this.#timer = this.#clock.after(INTERVAL_MS, () => this.#tick(), { background: true });
    }
  }
}
