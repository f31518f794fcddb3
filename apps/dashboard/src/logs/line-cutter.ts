/** What nobody ends is cut into lines of so many characters. */
const LINE_LENGTH_MAX = 65_536;

/** A line that has been ended, or a piece of one that is too long. */
export interface CutLine {
  readonly text: string;
  /** It goes on where the line before it was cut. */
  readonly isContinued: boolean;
}

/** Cuts what one source says into lines as it comes; looks at each piece once, however long lines are. */
export class LineCutter {
  /** The line that goes on. */
  #open = '';
  #isContinued = false;

  /** The lines that have ended by now. */
  take(text: string): readonly CutLine[] {
    const lines: CutLine[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#extend(text.slice(from, end), lines);
      lines.push({ text: this.#open, isContinued: this.#isContinued });
      this.#open = '';
      this.#isContinued = false;
      from = end + 1;
    }
    this.#extend(text.slice(from), lines);
    return lines;
  }

  /** What is not ended yet; undefined: nothing. */
  get rest(): CutLine | undefined {
    return this.#open === '' ? undefined : { text: this.#open, isContinued: this.#isContinued };
  }

  #extend(piece: string, lines: CutLine[]): void {
    let at = 0;
    for (let room = LINE_LENGTH_MAX - this.#open.length; piece.length - at > room; room = LINE_LENGTH_MAX) {
      lines.push({ text: this.#open + piece.slice(at, at + room), isContinued: this.#isContinued });
      this.#open = '';
      this.#isContinued = true;
      at += room;
    }
    this.#open += piece.slice(at);
  }
}
