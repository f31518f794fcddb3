import type { Key } from '../ports.ts';
import type { Span } from './span.ts';

const NOBODY: readonly never[] = [];

/**
 * Who watches a key. Single keys are in a map. For ranges the key space is cut at every start and end into pieces with
 * a fixed list of watchers each, and a key finds its piece by binary search; the pieces are made anew on the first
 * question after a range came or went.
 */
export class WatchIndex<W> {
  readonly #single = new Map<Key, Set<W>>();
  readonly #ranges = new Map<W, Span>();
  #cuts: Key[] = [];
  #pieces: W[][] = [];
  #stale = false;

  addKey(key: Key, watcher: W): void {
    const set = this.#single.get(key);
    if (set === undefined) this.#single.set(key, new Set([watcher]));
    else set.add(watcher);
  }

  addRange(span: Span, watcher: W): void {
    this.#ranges.set(watcher, span);
    this.#stale = true;
  }

  removeKey(key: Key, watcher: W): void {
    const set = this.#single.get(key);
    set?.delete(watcher);
    if (set?.size === 0) this.#single.delete(key);
  }

  removeRange(watcher: W): void {
    if (this.#ranges.delete(watcher)) this.#stale = true;
  }

  /** The watchers of ranges around the key. */
  rangesAround(key: Key): readonly W[] {
    if (this.#stale) this.#rebuild();
    let low = 0;
    let high = this.#cuts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const cut = this.#cuts[middle];
      if (cut !== undefined && cut <= key) low = middle + 1;
      else high = middle;
    }
    return this.#pieces[low - 1] ?? NOBODY;
  }

  /** The watchers of exactly this key. */
  onlyKey(key: Key): Iterable<W> | undefined {
    return this.#single.size === 0 ? undefined : this.#single.get(key);
  }

  #rebuild(): void {
    const cuts = new Set<Key>();
    for (const span of this.#ranges.values()) {
      cuts.add(span.from);
      if (span.end !== undefined) cuts.add(span.end);
    }
    this.#cuts = [...cuts].toSorted((a, b) => (a < b ? -1 : 1));
    const place = new Map(this.#cuts.map((cut, i) => [cut, i]));
    this.#pieces = this.#cuts.map(() => []);
    for (const [watcher, span] of this.#ranges) {
      const end = span.end === undefined ? this.#cuts.length : (place.get(span.end) ?? 0);
      for (let i = place.get(span.from) ?? 0; i < end; i++) this.#pieces[i]?.push(watcher);
    }
    this.#stale = false;
  }
}
