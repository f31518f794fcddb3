/** How large a pattern becomes when it is compiled, found out by looking at it once and making nothing. */

/** Characters of a pattern. */
const LENGTH_MAX = 10_000;
/** Steps of the compiled pattern: about a microsecond each to make, and some hundred bytes. */
const STEPS_MAX = 20_000;
/** A class of Unicode is a table of hundreds of ranges, which is read anew wherever it stands. */
const TABLE_STEPS = 50;
/** Of the smallest group: where it begins and where it ends. */
const GROUP_STEPS = 2;
const REPEAT = /\{(\d+)(?:,(\d*))?\}/y;

/**
 * About how many steps a pattern has when it is compiled; undefined: too many, because it is longer than any that somebody
 * wrote, or would be by its numbers in braces. It need not be right. Time: its length.
 */
export function stepsOf(source: string): number | undefined {
  if (source.length > LENGTH_MAX) return undefined;
  const steps = new Measure(source).steps();
  return steps > STEPS_MAX ? undefined : steps;
}

/** Walks over a pattern; the engine itself says what is wrong with one that is none. */
class Measure {
  readonly #source: string;
  /** What groups hold that are open, each up to its last item. */
  readonly #open: number[] = [];
  /** The group in which the walk is, up to its last item, and that item, which a repetition behind it multiplies. */
  #sum = 0;
  #last = 0;
  /** What is made once, however often its place is repeated. */
  #tables = 0;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  steps(): number {
    while (this.#at < this.#source.length) this.#step();
    while (this.#open.length > 0) this.#close();
    return this.#sum + this.#last + this.#tables;
  }

  #step(): void {
    const letter = this.#source[this.#at];
    if (letter === '\\') this.#escape();
    else if (letter === '[') this.#class();
    else if (letter === '(') this.#group();
    else if (letter === ')') this.#close();
    else if (letter === '{') this.#braces();
    else this.#item(1);
  }

  /** An item of so many characters. */
  #item(length: number): void {
    this.#sum += this.#last;
    this.#last = 1;
    this.#at += length;
  }

  #escape(): void {
    const kind = this.#source[this.#at + 1];
    if (kind === 'p' || kind === 'P') this.#tables += TABLE_STEPS;
    if (kind !== 'Q') return this.#item(2);
    const end = this.#source.indexOf('\\E', this.#at);
    const next = end === -1 ? this.#source.length : end + 2;
    // Each letter is an item; the last one may be repeated.
    this.#sum += this.#last + Math.max(0, next - this.#at - 5);
    this.#last = 1;
    this.#at = next;
  }

  #class(): void {
    let at = this.#at + 1;
    if (this.#source[at] === '^') at++;
    // The first one means itself.
    if (this.#source[at] === ']') at++;
    while (at < this.#source.length && this.#source[at] !== ']') {
      const next = this.#source[at + 1];
      const named = this.#source[at] === '[' && next === ':' ? this.#source.indexOf(':]', at + 2) : -1;
      if (this.#source[at] === '\\') {
        if (next === 'p' || next === 'P') this.#tables += TABLE_STEPS;
        at += 2;
      } else at = named === -1 ? at + 1 : named + 2;
    }
    this.#tables += at - this.#at;
    this.#item(at + 1 - this.#at);
  }

  #group(): void {
    this.#sum += this.#last;
    this.#last = 0;
    this.#open.push(this.#sum);
    this.#sum = GROUP_STEPS;
    this.#at++;
  }

  #close(): void {
    this.#at++;
    const before = this.#open.pop();
    if (before === undefined) return;
    this.#last += this.#sum;
    this.#sum = before;
  }

  #braces(): void {
    REPEAT.lastIndex = this.#at;
    const found = REPEAT.exec(this.#source);
    if (found === null) return this.#item(1);
    const [whole, least = '', most = ''] = found;
    this.#last *= Math.max(1, Number(least), Number(most));
    this.#at += whole.length;
  }
}
