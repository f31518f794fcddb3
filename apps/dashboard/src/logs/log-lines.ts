/** Older lines are let go of. */
const LINES_MAX = 20_000;
/** What nobody ends is cut into lines of so many characters. */
const LINE_LENGTH_MAX = 65_536;

/** The last lines of a log as they come, blank ones and the one that is not ended yet too. Views are new objects. */
export class LogLines {
  #held: string[] = [];
  #dropped = 0;
  /** The line that goes on. */
  #open = '';

  /** Looks at each piece once, however long lines are. */
  take(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#extend(text.slice(from, end));
      this.#held.push(this.#open);
      this.#open = '';
      from = end + 1;
    }
    this.#extend(text.slice(from));
    if (this.#held.length <= LINES_MAX * 2) return;
    this.#dropped += this.#held.length - LINES_MAX;
    this.#held = this.#held.slice(-LINES_MAX);
  }

  #extend(piece: string): void {
    let at = 0;
    for (let room = LINE_LENGTH_MAX - this.#open.length; piece.length - at > room; room = LINE_LENGTH_MAX) {
      this.#held.push(this.#open + piece.slice(at, at + room));
      this.#open = '';
      at += room;
    }
    this.#open += piece.slice(at);
  }

  /** The lines in which the words are found; how many older ones are gone. */
  view(filter: string): { readonly lines: readonly string[]; readonly dropped: number } {
    const all = this.#open === '' ? this.#held : [...this.#held, this.#open];
    const held = all.slice(-LINES_MAX);
    const dropped = this.#dropped + all.length - held.length;
    const word = filter.toLowerCase();
    return { lines: word === '' ? held : held.filter((line) => line.toLowerCase().includes(word)), dropped };
  }
}
