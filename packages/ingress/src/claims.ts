/** What several Ingresses ask for, by their age: the first of them has it. */
export class Claims<T> {
  readonly #all = new Map<string, T>();
  #first: string | undefined;

  /** Of one Ingress the first counts. */
  claim(age: string, wanted: T): void {
    if (this.#all.has(age)) return;
    this.#all.set(age, wanted);
    if (this.#first === undefined || age < this.#first) this.#first = age;
  }

  release(age: string): void {
    this.#all.delete(age);
    if (this.#first !== age) return;
    this.#first = undefined;
    for (const other of this.#all.keys()) if (this.#first === undefined || other < this.#first) this.#first = other;
  }

  /** Undefined: nobody asks. */
  get winner(): T | undefined {
    return this.#first === undefined ? undefined : this.#all.get(this.#first);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }
}
