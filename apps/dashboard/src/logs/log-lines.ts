import { LineCutter } from './line-cutter.ts';
import type { CutLine } from './line-cutter.ts';

/** Older lines are let go of. */
const LINES_MAX = 20_000;
/** And so are those before so many characters, however few lines they are: whoever writes long ones would fill the tab. */
const CHARACTERS_MAX = 32 << 20;

/** A line of a log, and who said it: one of the sources, by its place. */
export interface LogLine {
  readonly source: number;
  readonly text: string;
}

/** What is shown of a log. */
export interface LogView {
  readonly lines: readonly LogLine[];
  /** How many older ones are gone. */
  readonly dropped: number;
}

/** How the lines of several sources come. */
export interface LogLook {
  /** Each line begins with its time, by which they are put in order. */
  readonly isTimed: boolean;
  /** That time is shown. */
  readonly showsTimes: boolean;
}

interface HeldLine extends LogLine {
  /** Milliseconds since the epoch; 0 where nobody says. */
  readonly atMs: number;
}

interface Source {
  readonly cutter: LineCutter;
  lastMs: number;
}

const PLAIN: LogLook = { isTimed: false, showsTimes: true };

/**
 * The last lines of one log, or of several interleaved by their times, as they come; blank ones and those that are not ended
 * yet too. What one source says stays in its order, whatever its clock does. Views are new objects.
 */
export class LogLines {
  readonly #look: LogLook;
  readonly #sources = new Map<number, Source>();
  #held: HeldLine[] = [];
  #characters = 0;
  #dropped = 0;
  #isOrdered = true;

  constructor(look: LogLook = PLAIN) {
    this.#look = look;
  }

  take(text: string, source = 0): void {
    const own = this.#sourceOf(source);
    for (const line of own.cutter.take(text)) this.#hold(this.#read(line, source, own));
    // Not with each line: what is let go of is copied over.
    if (this.#held.length <= LINES_MAX * 2 && this.#characters <= CHARACTERS_MAX * 2) return;
    this.#order();
    const kept = lastOf(this.#held);
    this.#dropped += this.#held.length - kept.length;
    this.#keep(kept);
  }

  /** What a source said comes again from its beginning. */
  forget(source: number): void {
    this.#sources.delete(source);
    this.#keep(this.#held.filter((line) => line.source !== source));
    if (this.#sources.size === 0) this.#dropped = 0;
  }

  /** The lines in which the words are found. */
  view(filter: string): LogView {
    this.#order();
    const open = [...this.#sources].flatMap(([source, own]) => {
      const { rest } = own.cutter;
      return rest === undefined ? [] : [this.#read(rest, source, { ...own })];
    });
    const all = open.length === 0 ? this.#held : [...this.#held, ...open];
    const held = lastOf(all);
    const word = filter.toLowerCase();
    return {
      lines: word === '' ? held : held.filter(({ text }) => text.toLowerCase().includes(word)),
      dropped: this.#dropped + all.length - held.length,
    };
  }

  #sourceOf(source: number): Source {
    let own = this.#sources.get(source);
    if (own === undefined) {
      own = { cutter: new LineCutter(), lastMs: 0 };
      this.#sources.set(source, own);
    }
    return own;
  }

  #read({ text, isContinued }: CutLine, source: number, own: Source): HeldLine {
    if (!this.#look.isTimed || isContinued) return { source, text, atMs: own.lastMs };
    const end = text.indexOf(' ');
    const atMs = Date.parse(end === -1 ? text : text.slice(0, end));
    if (Number.isNaN(atMs)) return { source, text, atMs: own.lastMs };
    own.lastMs = Math.max(own.lastMs, atMs);
    return { source, atMs: own.lastMs, text: this.#look.showsTimes ? text : end === -1 ? '' : text.slice(end + 1) };
  }

  #hold(line: HeldLine): void {
    if (line.atMs < (this.#held.at(-1)?.atMs ?? 0)) this.#isOrdered = false;
    this.#held.push(line);
    this.#characters += line.text.length;
  }

  #keep(held: HeldLine[]): void {
    this.#held = held;
    this.#characters = held.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Stable: lines of one moment stay as they came. */
  #order(): void {
    if (this.#isOrdered) return;
    this.#held.sort((a, b) => a.atMs - b.atMs);
    this.#isOrdered = true;
  }
}

/** The last of them, as far as there is room. */
function lastOf(lines: readonly HeldLine[]): HeldLine[] {
  let from = lines.length;
  for (let room = CHARACTERS_MAX; from > 0 && lines.length - from < LINES_MAX; from--) {
    room -= lines[from - 1]?.text.length ?? 0;
    if (room < 0) break;
  }
  return lines.slice(from);
}
