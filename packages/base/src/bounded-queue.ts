import { CatalogueError } from './error.ts';

/** A queue was full; the sender decides what that means. */
export class QueueFullError extends CatalogueError {
  constructor(queue: string, bound: number) {
    super('queue-full', `queue ${queue} is full`, { facts: { queue, bound } });
  }
}

/** First in, first out, with a written bound (law 10). A ring: neither end ever moves the rest. */
export class BoundedQueue<T> {
  readonly name: string;
  readonly bound: number;
  #items: (T | undefined)[] = Array.from({ length: 16 });
  #head = 0;
  #length = 0;

  constructor(name: string, bound: number) {
    this.name = name;
    this.bound = bound;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether there was room. */
  offer(item: T): boolean {
    if (this.#length >= this.bound) return false;
    if (this.#length === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#length) % this.#items.length] = item;
    this.#length++;
    return true;
  }

  /** Throws `QueueFullError` when there is no room. */
  push(item: T): void {
    if (!this.offer(item)) throw new QueueFullError(this.name, this.bound);
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#items.length;
    this.#length--;
    return item;
  }

  #grow(): void {
    const old = this.#items;
    const bigger: (T | undefined)[] = Array.from({ length: old.length * 2 });
    for (let i = 0; i < this.#length; i++) bigger[i] = old[(this.#head + i) % old.length];
    this.#items = bigger;
    this.#head = 0;
  }
}
