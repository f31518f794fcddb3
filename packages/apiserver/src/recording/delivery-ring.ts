import type { DeliveryRecord, WatchRecord } from './record.ts';

const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
type DeliveryType = DeliveryRecord['type'];

/**
 * The last deliveries, in columns: a fan-out to thousands allocates nothing for being remembered. A record is made of
 * them when somebody reads.
 */
export class DeliveryRing {
  readonly #bound: number;
  readonly #seqs: number[] = [];
  readonly #times: number[] = [];
  readonly #revisions: number[] = [];
  readonly #types: number[] = [];
  readonly #keys: string[] = [];
  readonly #watches: WatchRecord[] = [];
  #next = 0;
  #forgotten = 0;
  #completeSince: number | undefined;

  constructor(bound: number) {
    this.#bound = bound;
  }

  get size(): number {
    return this.#seqs.length;
  }

  /** How many are gone. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Since when (milliseconds since the epoch) nothing was forgotten; undefined: nothing ever was. */
  get completeSince(): number | undefined {
    return this.#completeSince;
  }

  push(watch: WatchRecord, what: { seq: number; at: number; revision: number; type: DeliveryType; key: string }): void {
    const slot = this.#next;
    if (this.#seqs.length === this.#bound) {
      this.#forgotten++;
      this.#completeSince = this.#times[slot];
    }
    this.#seqs[slot] = what.seq;
    this.#times[slot] = what.at;
    this.#revisions[slot] = what.revision;
    this.#types[slot] = TYPES.indexOf(what.type);
    this.#keys[slot] = what.key;
    this.#watches[slot] = watch;
    this.#next = slot + 1 === this.#bound ? 0 : slot + 1;
  }

  /** Those with a greater number, the oldest first. */
  *after(seq: number): Generator<DeliveryRecord> {
    const count = this.#seqs.length;
    const start = count === this.#bound ? this.#next : 0;
    for (let i = 0; i < count; i++) {
      const slot = (start + i) % count;
      const watch = this.#watches[slot];
      const number = this.#seqs[slot] ?? 0;
      if (number <= seq || watch === undefined) continue;
      const key = this.#keys[slot] ?? '';
      yield {
        kind: 'delivery',
        seq: number,
        at: this.#times[slot] ?? 0,
        revision: this.#revisions[slot] ?? 0,
        type: TYPES[this.#types[slot] ?? 0] ?? 'ADDED',
        key,
        namespaced: key.includes('/'),
        watch,
      };
    }
  }
}
