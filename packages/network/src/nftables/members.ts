import { ElementChange } from './element-lines.ts';
import type { ElementLines } from './element-lines.ts';

/** Elements of a set that several Services may ask for at once: there as long as one does. */
export class Members {
  readonly #name: string;
  readonly #counts = new Map<string, number>();
  /** Whether what was touched since was there when it was told last. */
  readonly #touched = new Map<string, boolean>();

  /** `name`: of the set. */
  constructor(name: string) {
    this.#name = name;
  }

  ask(key: string): void {
    this.#count(key, 1);
  }

  giveUp(key: string): void {
    this.#count(key, -1);
  }

  /** The lines from what was told last to what is asked for now. */
  take(ref: string, lines: ElementLines): void {
    const change = new ElementChange(`${ref} ${this.#name}`);
    for (const [key, was] of this.#touched) {
      const is = this.#counts.has(key);
      if (was !== is) change.turn(key, was ? '' : undefined, is ? '' : undefined);
    }
    change.tell(lines);
    this.#touched.clear();
  }

  #count(key: string, more: number): void {
    const count = this.#counts.get(key) ?? 0;
    if (!this.#touched.has(key)) this.#touched.set(key, count > 0);
    if (count + more > 0) this.#counts.set(key, count + more);
    else this.#counts.delete(key);
  }
}
