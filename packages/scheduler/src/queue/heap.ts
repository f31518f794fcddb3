/** A binary heap with removal by key; the least item by `before` is on top. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #places = new Map<string, number>();
  readonly #before: (a: T, b: T) => boolean;
  readonly #keyOf: (item: T) => string;

  constructor(before: (a: T, b: T) => boolean, keyOf: (item: T) => string) {
    this.#before = before;
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  get(key: string): T | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#items[place];
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item, or puts it in the place of the one with its key. */
  push(item: T): void {
    this.remove(this.#keyOf(item));
    this.#items.push(item);
    this.#places.set(this.#keyOf(item), this.#items.length - 1);
    this.#rise(this.#items.length - 1);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    return top === undefined ? undefined : this.remove(this.#keyOf(top));
  }

  remove(key: string): T | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const removed = this.#items[place] as T;
    this.#places.delete(key);
    const last = this.#items.pop() as T;
    if (place < this.#items.length) {
      this.#set(place, last);
      this.#sink(this.#rise(place));
    }
    return removed;
  }

  #set(place: number, item: T): void {
    this.#items[place] = item;
    this.#places.set(this.#keyOf(item), place);
  }

  #rise(from: number): number {
    let place = from;
    const item = this.#items[place] as T;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#items[above] as T;
      if (!this.#before(item, parent)) break;
      this.#set(place, parent);
      place = above;
    }
    this.#set(place, item);
    return place;
  }

  #sink(from: number): void {
    let place = from;
    const item = this.#items[place] as T;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#items.length) break;
      const [left, right] = [this.#items[below] as T, this.#items[below + 1]];
      if (right !== undefined && this.#before(right, left)) below++;
      const child = this.#items[below] as T;
      if (!this.#before(child, item)) break;
      this.#set(place, child);
      place = below;
    }
    this.#set(place, item);
  }
}
