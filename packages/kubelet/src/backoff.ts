/**
 * Exponential back-off per key (10 s, 20 s … 5 min): for restarts of a container and pulls of an image.
 * An entry is forgotten when what failed had gone well, or was not heard of, for twice the longest delay.
 */
export class Backoff {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #entries = new Map<string, { delayMs: number; updatedAt: number }>();

  constructor(initialMs: number, maxMs: number) {
    this.#initialMs = initialMs;
    this.#maxMs = maxMs;
  }

  /** Milliseconds still to wait after a failure at `failedAt`; 0: go ahead. */
  remaining(key: string, failedAt: number, now: number): number {
    const entry = this.#live(key, failedAt);
    return entry === undefined ? 0 : Math.max(0, failedAt + entry.delayMs - now);
  }

  /** The present delay, for messages. */
  delay(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** Another try is made after a failure at `failedAt`: the next one waits longer. */
  advance(key: string, failedAt: number, now: number): void {
    const entry = this.#live(key, failedAt);
    const delayMs = entry === undefined ? this.#initialMs : Math.min(entry.delayMs * 2, this.#maxMs);
    // Those changed last stand last.
    this.#entries.delete(key);
    this.#entries.set(key, { delayMs, updatedAt: now });
    this.#forgetOld(now);
  }

  /** How many keys it knows. */
  get size(): number {
    return this.#entries.size;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Pods that failed and are gone never come to be forgotten by themselves. */
  #forgetOld(now: number): void {
    for (const [key, { updatedAt }] of this.#entries) {
      if (now - updatedAt <= 2 * this.#maxMs) return;
      this.#entries.delete(key);
    }
  }

  #live(key: string, failedAt: number): { delayMs: number; updatedAt: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (failedAt - entry.updatedAt > 2 * this.#maxMs) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry;
  }
}
