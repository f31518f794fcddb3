import type { LogOptions } from './options.ts';

/** Turns lines of a CRI log into what the container wrote: `<time> <stream> <P|F> <text>`. */
export class CriFormatter {
  readonly #options: LogOptions;
  #lineStart = true;
  #left: number;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#left = options.limitBytes ?? Infinity;
  }

  /** Nothing more will be let through. */
  get full(): boolean {
    return this.#left <= 0;
  }

  /** One line without its newline; empty where it is filtered out or is no CRI line. */
  format(line: Uint8Array): Uint8Array {
    const first = line.indexOf(SPACE);
    const second = first === -1 ? -1 : line.indexOf(SPACE, first + 1);
    const third = second === -1 ? -1 : line.indexOf(SPACE, second + 1);
    if (third === -1) return EMPTY;
    const decoder = new TextDecoder();
    const time = decoder.decode(line.subarray(0, first));
    const stream = decoder.decode(line.subarray(first + 1, second));
    const tags = decoder.decode(line.subarray(second + 1, third));
    if (stream !== 'stdout' && stream !== 'stderr') return EMPTY;
    const { since, stream: wanted, timestamps } = this.#options;
    if (since !== undefined && Date.parse(time) < since) return EMPTY;
    if (wanted !== 'All' && wanted.toLowerCase() !== stream) return EMPTY;
    const partial = tags.split(':').includes('P');
    const head = timestamps && this.#lineStart ? new TextEncoder().encode(`${time} `) : EMPTY;
    this.#lineStart = !partial;
    return this.#cut(join(head, line.subarray(third + 1), partial ? EMPTY : NEWLINE));
  }

  #cut(bytes: Uint8Array): Uint8Array {
    const out = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= out.length;
    return out;
  }
}

const SPACE = 0x20;
const EMPTY = new Uint8Array();
const NEWLINE = Uint8Array.of(0x0a);

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
