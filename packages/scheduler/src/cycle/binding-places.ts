/**
 * How many bindings may be on their way at once. Who waits for others meanwhile (a permission, a volume, devices) gives its place
 * away: thousands may wait, for minutes, and everybody else's pods must not wait with them.
 */
export class BindingPlaces {
  readonly #most: number;
  readonly #onFree: () => void;
  #taken = 0;

  constructor(most: number, onFree: () => void) {
    this.#most = most;
    this.#onFree = onFree;
  }

  get areTaken(): boolean {
    return this.#taken >= this.#most;
  }

  get taken(): number {
    return this.#taken;
  }

  take(): void {
    this.#taken++;
  }

  free(): void {
    this.#taken--;
    this.#onFree();
  }

  /** Waits without a place; who has waited goes on at once, even if all places are taken by then. */
  async aside<T>(waiting: Promise<T>): Promise<T> {
    this.free();
    try {
      return await waiting;
    } finally {
      this.take();
    }
  }
}
