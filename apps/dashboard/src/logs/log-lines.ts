import { Lines } from '../api/lines.ts';

/** Older lines are let go of. */
const LINES_MAX = 20_000;

/** The last lines of a log as they come. Views are new objects, one for each change that is drawn. */
export class LogLines {
  readonly #lines = new Lines();
  #held: string[] = [];
  #dropped = 0;

  take(text: string): void {
    this.#held.push(...this.#lines.take(text));
    if (this.#held.length <= LINES_MAX * 2) return;
    this.#dropped += this.#held.length - LINES_MAX;
    this.#held = this.#held.slice(-LINES_MAX);
  }

  /** The lines in which the words are found; how many older ones are gone. */
  view(filter: string): { readonly lines: readonly string[]; readonly dropped: number } {
    const held = this.#held.slice(-LINES_MAX);
    const dropped = this.#dropped + this.#held.length - held.length;
    const word = filter.toLowerCase();
    return { lines: word === '' ? held : held.filter((line) => line.toLowerCase().includes(word)), dropped };
  }
}
