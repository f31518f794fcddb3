import { Heap } from '@binnacle/base';

/** A heap with removal by key; the least item by `before` is on top. */
export class KeyedHeap<T> {
  readonly #places = new Map<string, number>();
  readonly #heap: Heap<T>;
  readonly #keyOf: (item: T) => string;

  constructor(before: (a: T, b: T) => boolean, keyOf: (item: T) => string) {
    this.#keyOf = keyOf;
    this.#heap = new Heap(before, (item, place) => this.#places.set(keyOf(item), place));
  }

  get size(): number {
    return this.#heap.size;
  }

  /** In no order. */
  get items(): readonly T[] {
    return this.#heap.items;
  }

  get(key: string): T | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#heap.items[place];
  }

  peek(): T | undefined {
    return this.#heap.peek();
  }

  /** Adds an item, or puts it in the place of the one with its key. */
  push(item: T): void {
    this.remove(this.#keyOf(item));
    this.#heap.push(item);
  }

  pop(): T | undefined {
    const top = this.#heap.peek();
    return top === undefined ? undefined : this.remove(this.#keyOf(top));
  }

  remove(key: string): T | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    return this.#heap.removeAt(place);
  }
}
