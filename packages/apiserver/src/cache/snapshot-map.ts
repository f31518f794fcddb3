/**
 * An ordered map whose snapshots are free: sorted chunks under one array of chunks. A write copies one chunk,
 * and the array too when a snapshot holds it. Readers keep what they took, whatever comes later.
 *
 *     chunks: [ [a, b, c], [d, e], [f, g, h] ]      find = binary search twice
 */
export interface Keyed {
  readonly key: string;
}

export type Chunks<V extends Keyed> = readonly (readonly V[])[];

const CHUNK_MAX = 128;

export class SnapshotMap<V extends Keyed> {
  #chunks: V[][] = [];
  #shared = false;
  #size = 0;
  readonly #byKey = new Map<string, V>();

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#byKey.get(key);
  }

  /** All values in the order of their keys, as of now; never changes. */
  snapshot(): Chunks<V> {
    this.#shared = true;
    return this.#chunks;
  }

  set(value: V): void {
    const known = this.#byKey.has(value.key);
    this.#byKey.set(value.key, value);
    this.#own();
    if (this.#chunks.length === 0) {
      this.#chunks.push([value]);
      this.#size = 1;
      return;
    }
    const at = chunkOf(this.#chunks, value.key);
    const chunk = (this.#chunks[at] ?? []).slice();
    const i = lowerBound(chunk, value.key);
    if (known) chunk[i] = value;
    else {
      chunk.splice(i, 0, value);
      this.#size++;
    }
    if (chunk.length <= CHUNK_MAX) this.#chunks[at] = chunk;
    // A run of growing keys fills its chunks: the last one is cut at its end, others in the middle.
    else {
      const cut = at === this.#chunks.length - 1 && i === chunk.length - 1 ? CHUNK_MAX : CHUNK_MAX >> 1;
      this.#chunks.splice(at, 1, chunk.slice(0, cut), chunk.slice(cut));
    }
  }

  delete(key: string): V | undefined {
    const value = this.#byKey.get(key);
    if (value === undefined) return undefined;
    this.#byKey.delete(key);
    this.#own();
    const at = chunkOf(this.#chunks, key);
    const chunk = (this.#chunks[at] ?? []).slice();
    chunk.splice(lowerBound(chunk, key), 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    else this.#chunks[at] = chunk;
    return value;
  }

  /** Puts `values` (sorted by key) in the place of everything. */
  reset(values: readonly V[]): void {
    this.#byKey.clear();
    const chunks: V[][] = [];
    for (let i = 0; i < values.length; i += CHUNK_MAX) chunks.push(values.slice(i, i + CHUNK_MAX));
    for (const value of values) this.#byKey.set(value.key, value);
    this.#chunks = chunks;
    this.#shared = false;
    this.#size = values.length;
  }

  #own(): void {
    if (!this.#shared) return;
    this.#chunks = this.#chunks.slice();
    this.#shared = false;
  }
}

/** The values from `from` (included) on whose keys start with `prefix`. */
export function* walk<V extends Keyed>(chunks: Chunks<V>, prefix: string, from: string): Generator<V> {
  const start = from > prefix ? from : prefix;
  if (chunks.length === 0) return;
  for (let c = chunkOf(chunks, start); c < chunks.length; c++) {
    const chunk = chunks[c] ?? [];
    for (let i = lowerBound(chunk, start); i < chunk.length; i++) {
      const value = chunk[i];
      if (value === undefined || !value.key.startsWith(prefix)) return;
      yield value;
    }
  }
}

/** The last chunk whose first key is not after `key`, or the first one. */
function chunkOf<V extends Keyed>(chunks: Chunks<V>, key: string): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chunks[middle]?.[0]?.key ?? '') <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lowerBound<V extends Keyed>(chunk: readonly V[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunk[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
