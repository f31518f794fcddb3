import { Heap } from './heap.ts';

/** What stands in a fair order under a name, once each. */
export interface Standing<T> {
  readonly name: string;
  readonly value: T;
  /** How large a part of the time it has, beside the others'. */
  readonly share: number;
  /** Virtual time at which it goes on next. */
  readonly start: number;
  /** How much it was charged with last; 0: nothing is known of it. */
  readonly charged: number;
  /** Whether it stands there as one who was not here. */
  readonly isNew: boolean;
  readonly number: number;
}

/** One that was given time. */
interface Served {
  /** Virtual time at which its next may begin. */
  readonly start: number;
  readonly charged: number;
  readonly share: number;
  /** When that was: milliseconds of the caller's clock. */
  readonly atMs: number;
}

/** Those that were given time are looked through again when there are so many. */
const SERVED_MIN = 64;

/**
 * Who goes on next among those who share time by parts (start-time fair queuing): whoever begins soonest in virtual time,
 * which passes for each as it is given time, the slower the larger its part. Who was not here begins now: nobody pays
 * for a past in which others had the time to themselves, nor waits for a round of all of them. Who comes again at once
 * is behind those who have had less; for each millisecond that it stays away it is forgiven one. Of equals goes who was
 * not here, then who came first. Time passes with those who are new too, so that ever new names keep nobody from his turn for good.
 */
export class FairOrder<T> {
  readonly #freeMs: number;
  readonly #heap = new Heap<Standing<T>>(isBefore);
  readonly #served = new Map<string, Served>();
  #servedMax = SERVED_MIN;
  #virtual = 0;
  /** Of all that stand. */
  #shares = 0;
  #count = 0;

  /** `freeMs`: so much may anybody be charged with at once, of whom nothing is known. */
  constructor(freeMs: number) {
    this.#freeMs = freeMs;
  }

  /** Of how many it is known that they have had time. */
  get known(): number {
    return this.#served.size;
  }

  /** `name` does not stand here yet. */
  add(name: string, value: T, { share, nowMs }: { readonly share: number; readonly nowMs: number }): void {
    const served = this.#served.get(name);
    if (served !== undefined) this.#served.delete(name);
    const owed = served === undefined ? Number.NEGATIVE_INFINITY : startAt(served, nowMs);
    const isNew = owed < this.#virtual;
    const start = isNew ? this.#virtual : owed;
    this.#shares += share;
    this.#heap.push({ name, value, share, start, charged: served?.charged ?? 0, isNew, number: this.#count++ });
  }

  /** Takes out whose turn it is; undefined where nobody stands. */
  next(): Standing<T> | undefined {
    const next = this.#heap.pop();
    if (next === undefined) return undefined;
    this.#shares -= next.share;
    this.#virtual = Math.max(this.#virtual, next.start);
    return next;
  }

  /**
   * One that was taken out has had so much time. Answers with what it is charged with: no more than twice as much as the
   * last time, for what takes long once is a collection of garbage, or another process that had the CPU.
   */
  charge({ name, start, share, charged: before, isNew }: Standing<T>, { tookMs, nowMs }: Took): number {
    const usual = before > 0 ? before : this.#freeMs;
    const charged = Math.min(tookMs ?? usual, Math.max(this.#freeMs, 2 * before));
    this.#served.set(name, { start: start + charged / share, charged, share, atMs: nowMs });
    if (isNew) this.#virtual += charged / (this.#shares + share);
    if (this.#served.size >= this.#servedMax) this.#forget(nowMs);
    return charged;
  }

  /** Of whom it is all the same whether they are known. */
  #forget(nowMs: number): void {
    for (const [name, served] of this.#served) {
      if (startAt(served, nowMs) <= this.#virtual) this.#served.delete(name);
    }
    this.#servedMax = Math.max(SERVED_MIN, 2 * this.#served.size);
  }
}

function isBefore<T>(a: Standing<T>, b: Standing<T>): boolean {
  if (a.start !== b.start) return a.start < b.start;
  return a.isNew === b.isNew ? a.number < b.number : a.isNew;
}

/** Virtual time at which its next may begin, if it comes now. */
function startAt({ start, share, atMs }: Served, nowMs: number): number {
  return start - (nowMs - atMs) / share;
}

/** How long somebody had (undefined: as long as the last time), and by the caller's clock when that ended. */
export interface Took {
  readonly tookMs: number | undefined;
  readonly nowMs: number;
}
