import type { Refusal } from './framework.ts';

/** The verdict of a node that passed. */
export const PASSED = 0;
/** Texts that differ beyond this are forgotten and numbered anew. */
const VERDICTS_MAX = 60_000;
/** Columns have numbers of 16 bits: from here on, within one decision, all refusals of a plugin are as its next one. */
const TOLD_APART_MAX = 65_000;

/**
 * Refusals by number, so that what was said of 5,000 nodes is one small column. Equal refusals have one number,
 * whoever made them.
 */
export class Verdicts {
  #table: (Refusal | undefined)[] = [undefined];
  #byText = new Map<string, number>();
  #byRefusal = new WeakMap<Refusal, number>();
  #generation = 0;

  /** Changes when numbers lose their meaning. */
  get generation(): number {
    return this.#generation;
  }

  /** By number. Only grows, until the next generation has another one. */
  get table(): readonly (Refusal | undefined)[] {
    return this.#table;
  }

  idOf(refusal: Refusal): number {
    const known = this.#byRefusal.get(refusal);
    if (known !== undefined) return known;
    const { plugin, reasons, unresolvable } = refusal;
    const isTold = this.#table.length < TOLD_APART_MAX;
    const text = JSON.stringify(isTold ? [plugin, reasons, unresolvable] : [plugin, unresolvable]);
    let id = this.#byText.get(text);
    if (id === undefined) {
      id = this.#table.push(refusal) - 1;
      this.#byText.set(text, id);
    }
    this.#byRefusal.set(refusal, id);
    return id;
  }

  /** Makes room where it is short. Called between two decisions. */
  tidy(): void {
    if (this.#table.length <= VERDICTS_MAX) return;
    this.#table = [undefined];
    this.#byText = new Map();
    this.#byRefusal = new WeakMap();
    this.#generation++;
  }
}
