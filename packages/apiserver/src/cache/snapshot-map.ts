/**
 * A map with ordered snapshots: sorted chunks under one array of chunks. What is new takes its place there when the next
 * snapshot is taken, or a thousand of them together. A write copies the chunk, and the array too, when a snapshot may
 * hold them. Readers keep what they took, whatever comes later.
 *
 *     chunks: [ [a, b, c], [d, e], [f, g, h] ]      find = binary search twice
 */
export interface Keyed {
  readonly key: string;
}

export type Chunks<V extends Keyed> = readonly (readonly V[])[];

const CHUNK_MAX = 128;
/** So many new values wait for their places at the most: a millisecond's work for whoever takes a snapshot. */
const LATE_MAX = 1024;

export class SnapshotMap<V extends Keyed> {
  #chunks: V[][] = [];
  #shared = false;
  /** Chunks made since the last snapshot: nobody else has them. */
  readonly #own = new Set<V[]>();
  /** The first key of each chunk, side by side: a search looks at these instead of into chunk after chunk. */
  #firsts: string[] = [];
  readonly #byKey = new Map<string, V>();
  /** Keys of new values that have no place in the chunks yet. */
  #late = new Set<string>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): V | undefined {
    return this.#byKey.get(key);
  }

  /** All values in the order of their keys, as of now; never changes. */
  snapshot(): Chunks<V> {
    this.#settle();
    this.#shared = true;
    this.#own.clear();
    return this.#chunks;
  }

  set(value: V): void {
    const { key } = value;
    const count = this.#byKey.size;
    this.#byKey.set(key, value);
    if (this.#byKey.size > count) {
      this.#late.add(key);
      if (this.#late.size >= LATE_MAX) this.#settle();
    } else if (!this.#late.has(key)) this.#place(this.#ownChunks(), value);
  }

  /** What goes is held no longer, but by those who took a snapshot. */
  delete(key: string): V | undefined {
    const value = this.#byKey.get(key);
    if (value === undefined) return undefined;
    this.#byKey.delete(key);
    if (!this.#late.delete(key)) this.#takeOut(this.#ownChunks(), key);
    return value;
  }

  /** Neighbours one after the other: their chunks are looked at together. */
  #settle(): void {
    if (this.#late.size === 0) return;
    const keys = [...this.#late].sort();
    this.#late = new Set();
    const chunks = this.#ownChunks();
    for (const key of keys) {
      const value = this.#byKey.get(key);
      if (value !== undefined) this.#place(chunks, value);
    }
  }

  #place(chunks: V[][], value: V): void {
    const { key } = value;
    if (chunks.length === 0) {
      chunks.push([]);
      this.#firsts.push(key);
    }
    const at = chunkAt(this.#firsts, key);
    const chunk = this.#ownChunk(chunks, at);
    const i = lowerBound(chunk, key);
    if (chunk[i]?.key === key) {
      chunk[i] = value;
      return;
    }
    if (i === 0) this.#firsts[at] = key;
    if (i === chunk.length) chunk.push(value);
    else chunk.splice(i, 0, value);
    if (chunk.length > CHUNK_MAX) this.#split(chunks, at, i);
  }

  #takeOut(chunks: V[][], key: string): void {
    const at = chunkAt(this.#firsts, key);
    const chunk = this.#ownChunk(chunks, at);
    chunk.splice(lowerBound(chunk, key), 1);
    if (chunk.length === 0) {
      chunks.splice(at, 1);
      this.#firsts.splice(at, 1);
      this.#own.delete(chunk);
    } else this.#firsts[at] = firstOf(chunk);
  }

  /** A run of growing keys fills its chunks: the last one is cut at its end, others in the middle. */
  #split(chunks: V[][], at: number, grewAt: number): void {
    const chunk = chunks[at] ?? [];
    const isRun = at === chunks.length - 1 && grewAt === chunk.length - 1;
    const right = chunk.splice(isRun ? CHUNK_MAX : CHUNK_MAX >> 1);
    this.#own.add(right);
    chunks.splice(at + 1, 0, right);
    this.#firsts.splice(at + 1, 0, firstOf(right));
  }

  /** Puts `values` (sorted by key) in the place of everything. */
  reset(values: readonly V[]): void {
    this.#byKey.clear();
    const chunks: V[][] = [];
    for (let i = 0; i < values.length; i += CHUNK_MAX) chunks.push(values.slice(i, i + CHUNK_MAX));
    for (const value of values) this.#byKey.set(value.key, value);
    this.#chunks = chunks;
    this.#firsts = chunks.map(firstOf);
    this.#shared = false;
    this.#own.clear();
    this.#late.clear();
  }

  #ownChunks(): V[][] {
    if (this.#shared) this.#chunks = this.#chunks.slice();
    this.#shared = false;
    return this.#chunks;
  }

  #ownChunk(chunks: V[][], at: number): V[] {
    const found = chunks[at] ?? [];
    if (this.#own.has(found)) return found;
    const copy = found.slice();
    this.#own.add(copy);
    chunks[at] = copy;
    return copy;
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

function firstOf<V extends Keyed>(chunk: readonly V[]): string {
  return chunk[0]?.key ?? '';
}

/** The last place whose key is not after `key`, or the first one. */
function chunkAt(firsts: readonly string[], key: string): number {
  let low = 0;
  let high = firsts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((firsts[middle] ?? '') <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The same among chunks that somebody else keeps. */
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
