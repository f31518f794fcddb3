/**
 * A binary heap: of all items the one that comes before the others is on top. Of equals any is. `placed` is told where
 * an item stands whenever that changes, for owners who take items out of the middle.
 */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;
  readonly #placed: ((item: T, place: number) => void) | undefined;

  constructor(before: (a: T, b: T) => boolean, placed?: (item: T, place: number) => void) {
    this.#before = before;
    this.#placed = placed;
  }

  get size(): number {
    return this.#items.length;
  }

  /** All, in no order. */
  get items(): readonly T[] {
    return this.#items;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#rise(item, this.#items.push(item) - 1);
  }

  pop(): T | undefined {
    return this.removeAt(0);
  }

  /** Takes out what stands at a place; undefined where nothing does. */
  removeAt(place: number): T | undefined {
    const removed = this.#items[place];
    if (removed === undefined) return undefined;
    const last = this.#items.pop() as T;
    if (place < this.#items.length) this.#rise(last, this.#sink(last, place));
    return removed;
  }

  clear(): void {
    this.#items.length = 0;
  }

  #rise(item: T, from: number): void {
    const items = this.#items;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above] as T;
      if (!this.#before(item, parent)) break;
      this.#set(place, parent);
      place = above;
    }
    this.#set(place, item);
  }

  /** Moves children up until the item may stand; says where, and leaves it to `#rise` to put it there. */
  #sink(item: T, from: number): number {
    const items = this.#items;
    let place = from;
    for (let below = 2 * place + 1; below < items.length; below = 2 * place + 1) {
      if (below + 1 < items.length && this.#before(items[below + 1] as T, items[below] as T)) below++;
      const child = items[below] as T;
      if (!this.#before(child, item)) break;
      this.#set(place, child);
      place = below;
    }
    return place;
  }

  #set(place: number, item: T): void {
    this.#items[place] = item;
    this.#placed?.(item, place);
  }
}
