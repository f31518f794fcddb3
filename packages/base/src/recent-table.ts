/**
 * A bounded table that forgets what was not used lately. Two generations instead of one ordered map: a Map whose
 * oldest key is looked up by iterating walks over everything deleted at its head, thousands of steps each time.
 * Remembers at least the last `max / 2` keys used and never more than `max`; every call costs the same.
 */
export class RecentTable<V> {
  readonly #half: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** `max`: entries, at least 2. */
  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  /** Counts as a use. */
  get(key: string): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  set(key: string, value: V): void {
    this.#young.set(key, value);
    this.#old.delete(key);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** In no order; no use of them. */
  *values(): Iterable<V> {
    yield* this.#young.values();
    yield* this.#old.values();
  }

  /** At most `max`. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
