import { assert } from '@binnacle/base';

/** What a list keeps of its entries; each is in one list at most. */
export interface Listed<T> {
  before: T | undefined;
  behind: T | undefined;
}

/**
 * Entries in the order in which they came, which leave from anywhere. A Set would do the same, but makes its table anew
 * every few requests, and each old table lives on until the next full collection, because the one before it does
 * (235 bytes a request, measured). Who has left a list knows nobody any more.
 */
export class TicketList<T extends Listed<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  add(entry: T): void {
    entry.before = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.behind = entry;
    this.#last = entry;
    this.#size++;
  }

  /** Takes out an entry of this list. */
  delete(entry: T): void {
    const { before, behind } = entry;
    assert(this.#size > 0 && (before !== undefined || this.#first === entry), 'the entry is of this list');
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    entry.before = undefined;
    entry.behind = undefined;
    this.#size--;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let entry = this.#first; entry !== undefined; entry = entry.behind) yield entry;
  }
}
