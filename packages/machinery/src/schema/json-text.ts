/**
 * JSON read exactly: order and repetition of members kept, numbers as they are written. The slow way, taken only
 * to say what is wrong with an input; the messages are those of Go's scanner.
 */
import { DecodeError } from '../errors.ts';
import { exactDigits } from '../int64.ts';
import { rawJson } from '../raw-json.ts';

export type JsonNode =
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, JsonNode])[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' };

/** Reads a document. Throws DecodeError with Go's message for a malformed one. */
export function readJson(text: string): JsonNode {
  const reader = new Reader(withWholeSurrogates(text));
  const node = reader.value();
  reader.end();
  return node;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER_PART = /[0-9]*/y;
/**
 * Deeper documents are refused: a tenth of Go's limit, and more than any object has. The platform's own encoder
 * recurses, and gives up on little more.
 */
export const DEPTH_MAX = 1000;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): JsonNode {
    this.#space();
    const char = this.#text[this.#at];
    if (char === '{') return this.#nested(() => this.#object());
    if (char === '[') return this.#nested(() => this.#array());
    if (char === '"') return { kind: 'string', text: this.#string() };
    if (char === 't') return this.#literal('true', { kind: 'bool', value: true });
    if (char === 'f') return this.#literal('false', { kind: 'bool', value: false });
    if (char === 'n') return this.#literal('null', { kind: 'null' });
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.#number();
    return this.#fail('looking for beginning of value');
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) this.#fail('after top-level value');
  }

  #nested(read: () => JsonNode): JsonNode {
    if (++this.#depth > DEPTH_MAX) throw new DecodeError('exceeded max depth');
    this.#at++;
    const node = read();
    this.#depth--;
    return node;
  }

  #object(): JsonNode {
    const members: [string, JsonNode][] = [];
    this.#space();
    if (this.#take('}')) return { kind: 'object', members };
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail('looking for beginning of object key string');
      const key = this.#string();
      this.#space();
      if (!this.#take(':')) this.#fail('after object key');
      members.push([key, this.value()]);
      this.#space();
      if (this.#take('}')) return { kind: 'object', members };
      if (!this.#take(',')) this.#fail('after object key:value pair');
    }
  }

  #array(): JsonNode {
    const items: JsonNode[] = [];
    this.#space();
    if (this.#take(']')) return { kind: 'array', items };
    for (;;) {
      items.push(this.value());
      this.#space();
      if (this.#take(']')) return { kind: 'array', items };
      if (!this.#take(',')) this.#fail('after array element');
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char === undefined || char < ' ') this.#fail('in string literal');
      this.#at++;
      if (char === '\\') this.#escape();
    }
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #escape(): void {
    const char = this.#text[this.#at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) this.#fail('in string escape code');
    this.#at++;
    if (char !== 'u') return;
    for (let i = 0; i < 4; i++, this.#at++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) this.#fail('in \\u hexadecimal character escape');
    }
  }

  #number(): JsonNode {
    const start = this.#at;
    this.#take('-');
    if (!this.#take('0') && !this.#digits()) this.#fail('in numeric literal');
    if (this.#take('.') && !this.#digits()) this.#fail('after decimal point in numeric literal');
    if (this.#take('e') || this.#take('E')) {
      if (!this.#take('+')) this.#take('-');
      if (!this.#digits()) this.#fail('in exponent of numeric literal');
    }
    return { kind: 'number', text: this.#text.slice(start, this.#at) };
  }

  #digits(): boolean {
    NUMBER_PART.lastIndex = this.#at;
    NUMBER_PART.test(this.#text);
    const found = NUMBER_PART.lastIndex > this.#at;
    this.#at = Math.max(this.#at, NUMBER_PART.lastIndex);
    return found;
  }

  #literal(word: string, node: JsonNode): JsonNode {
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#text[this.#at] !== word[i]) this.#fail(`in literal ${word} (expecting '${word[i]}')`);
    }
    return node;
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #fail(context: string): never {
    const char = this.#text.codePointAt(this.#at);
    if (char === undefined) throw new DecodeError('unexpected end of JSON input');
    throw new DecodeError(`invalid character ${quoteChar(String.fromCodePoint(char))} ${context}`);
  }
}

function quoteChar(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  return `'${JSON.stringify(char).slice(1, -1)}'`;
}

/**
 * The same tree from a value that is already parsed; members of the wrong sort (undefined, functions) are left out.
 * Throws DecodeError for one that is nested deeper than 1000 levels.
 */
export function nodeOf(value: unknown, depth = 0): JsonNode {
  if (value === null || value === undefined) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (typeof value !== 'object') return { kind: 'null' };
  const digits = exactDigits(value);
  if (digits !== undefined) return { kind: 'number', text: digits };
  if (depth === DEPTH_MAX) throw new DecodeError('exceeded max depth');
  if (Array.isArray(value)) return { kind: 'array', items: value.map((item) => nodeOf(item, depth + 1)) };
  const members = Object.entries(value).filter(([, v]) => v !== undefined && typeof v !== 'function');
  return { kind: 'object', members: members.map(([key, v]) => [key, nodeOf(v, depth + 1)] as const) };
}

/** Parses JSON of any depth. Throws DecodeError with Go's message. */
export function parseJson(text: string): unknown {
  return parse(text, undefined);
}

/** Digits of which a double may lose some; some of them may stand in strings, which costs time and nothing else. */
const LONG_NUMBER = /[0-9]{16}|[0-9][eE.]/;

/**
 * Parses JSON that is to be walked without a schema, such as a patch. Throws DecodeError with Go's message for a
 * malformed document and for one that is nested deeper than 1000 levels. Numbers that a double cannot hold are raw
 * JSON; where numbers are wanted as they are `written`, so are those like 1.0 and 1e3, which are no integers to Go.
 */
export function parseDocument(text: string, numbers: 'exact' | 'written' = 'exact'): unknown {
  const parseLong = numbers === 'written' ? parseWritten : parseExact;
  const value = LONG_NUMBER.test(text) ? parseLong(text) : parseJson(text);
  // Brackets inside strings count too, which at worst reads a document a second time.
  if (text.length > DEPTH_MAX && text.split(/[[{]/, DEPTH_MAX + 1).length > DEPTH_MAX) readJson(text);
  return value;
}

/** As `parseJson`, but a number that a double cannot hold becomes a raw-JSON object, written out again as it came. */
export function parseExact(text: string): unknown {
  return parse(text, keepDigits);
}

/** As `parseExact`, and a number with a point or an exponent keeps them too, whole as it may be. */
export function parseWritten(text: string): unknown {
  return parse(text, keepSpelling);
}

function parse(given: string, reviver: Reviver | undefined): unknown {
  const text = withWholeSurrogates(given);
  try {
    return reviver === undefined ? JSON.parse(text) : JSON.parse(text, reviver);
  } catch (error) {
    readJson(text);
    throw new DecodeError(error instanceof Error ? error.message : 'malformed JSON');
  }
}

const SURROGATE = /\\u[dD]/;
/** One escape after the other, so that a backslash that is itself escaped begins none. */
const ESCAPE = /\\(?:u([dD][89abAB][0-9a-fA-F]{2})(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|u([dD][c-fC-F][0-9a-fA-F]{2})|[^])/g;

/** Half of a surrogate pair is no character: Go's decoder reads U+FFFD instead. */
function withWholeSurrogates(text: string): string {
  if (!text.includes('\\u') || !SURROGATE.test(text)) return text;
  return text.replace(ESCAPE, (escape: string, ...[high, rest, low]: (string | undefined)[]) =>
    (high !== undefined && rest === undefined) || low !== undefined ? '\\ufffd' : escape,
  );
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  return String(value) === source ? value : rawJson(source);
}

function keepSpelling(key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (source !== undefined && Number.isSafeInteger(value) && isFraction(source)) return rawJson(source);
  return keepDigits(key, value, context);
}

const FRACTION = /[.eE]/;

/** Whether the digits of a number are no integer as Go reads one: they have a point or an exponent. */
export function isFraction(digits: string): boolean {
  return FRACTION.test(digits);
}

/**
 * Whether a JSON text has a number with a point or an exponent; never false where one may stand for an integer, and true
 * for nothing but strings only where they look much like it. Linear, and little more than finding the colons, whatever
 * the text is.
 */
export function writesFraction(text: string): boolean {
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    if (endsInFraction(text, at, OF_ONE) && isBehindKey(text, at)) return true;
  }
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) {
    if (endsInFraction(text, at, OF_LIST)) return true;
  }
  return false;
}

/** What stands before the point of a number; in a list other numbers and nulls too. */
const OF_ONE = charactersOf(' \t\r\n+-0123456789');
const OF_LIST = charactersOf(' \t\r\n+-0123456789,nul');

/** By the code of a character of ASCII: whether it is one of these. */
function charactersOf(text: string): Uint8Array {
  const table = new Uint8Array(128);
  for (let i = 0; i < text.length; i++) table[text.charCodeAt(i)] = 1;
  return table;
}

/** Whether the first character after `at` that is none of those allowed makes a fraction of the digit before it. */
function endsInFraction(text: string, at: number, allowed: Uint8Array): boolean {
  let end = at + 1;
  while (allowed[text.charCodeAt(end)] === 1) end++;
  const mark = text.charCodeAt(end);
  if (mark !== 46 && mark !== 69 && mark !== 101) return false;
  const digit = text.charCodeAt(end - 1);
  return digit >= 48 && digit <= 57;
}

/** Whether a colon stands behind the key of a member. */
function isBehindKey(text: string, colon: number): boolean {
  let before = colon - 1;
  while (before >= 0 && text.charCodeAt(before) <= 32) before--;
  return text.charCodeAt(before) === 34 && !isEscaped(text, before);
}

/**
 * How many members the objects of a valid JSON text have in all: never fewer, and more only where a string begins
 * with a colon. A colon stands behind the quotation mark of a key, or in a string.
 */
export function countMembers(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    let char = text.charCodeAt(before);
    while (char === 32 || char === 10 || char === 13 || char === 9) char = text.charCodeAt(--before);
    if (char === 34 && !isEscaped(text, before)) count++;
  }
  return count;
}

/** A quotation mark behind an odd number of backslashes is one more character of its string, and ends no key. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === 92) before--;
  return (at - before) % 2 === 0;
}
