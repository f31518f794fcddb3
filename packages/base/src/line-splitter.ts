import { GrowingBytes } from './growing-bytes.ts';

const NEWLINE = 0x0a;
const NONE = new Uint8Array();

/**
 * Cuts a byte stream into lines and decodes each as a whole, so that neither a line nor a character that two chunks
 * share is torn; costs by the byte, however long lines are and in however many pieces they come.
 */
export class LineSplitter {
  readonly #restBytesMax: number;
  readonly #rest = new GrowingBytes();
  readonly #decoder = new TextDecoder();

  /** So many bytes may wait for their newline. */
  constructor(restBytesMax: number) {
    this.#restBytesMax = restBytesMax;
  }

  /** The lines that this chunk completes; undefined when a line has outgrown the bound. */
  push(chunk: Uint8Array): string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      lines.push(this.#finish(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (this.#rest.length + chunk.length - from > this.#restBytesMax) return undefined;
    if (from < chunk.length) this.#rest.add(chunk.subarray(from));
    return lines;
  }

  /** What is left when the stream ends without a newline. */
  flush(): string {
    return this.#finish(NONE);
  }

  #finish(tail: Uint8Array): string {
    this.#rest.add(tail);
    return this.#decoder.decode(this.#rest.take());
  }
}

/** How many bytes may wait for their newline, and what is thrown beyond that. */
export interface LineBound {
  readonly bytesMax: number;
  readonly tooLong: () => Error;
}

/** The lines of a body as they come, blank ones left out; what has no newline at the body's end was cut, and is left out too. */
export async function* linesOf(body: AsyncIterable<Uint8Array>, bound: LineBound): AsyncGenerator<string> {
  const splitter = new LineSplitter(bound.bytesMax);
  for await (const chunk of body) {
    const lines = splitter.push(chunk);
    if (lines === undefined) throw bound.tooLong();
    for (const line of lines) if (line.trim() !== '') yield line;
  }
}
