/** A line longer than this is no watch event. */
const LINE_MAX = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines and decodes each as a whole, so that neither a line nor a character that two chunks
 * share is torn.
 */
export class LineSplitter {
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  readonly #decoder = new TextDecoder();

  /** The lines that this chunk completes; undefined when a line has outgrown the bound. */
  push(chunk: Uint8Array): string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      lines.push(this.#finish(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) {
      this.#rest.push(chunk.subarray(from));
      this.#restBytes += chunk.length - from;
    }
    return this.#restBytes > LINE_MAX ? undefined : lines;
  }

  /** What is left when the stream ends without a newline. */
  flush(): string {
    return this.#finish(new Uint8Array());
  }

  #finish(tail: Uint8Array): string {
    if (this.#rest.length === 0) return this.#decoder.decode(tail);
    const whole = new Uint8Array(this.#restBytes + tail.length);
    let at = 0;
    for (const part of this.#rest) {
      whole.set(part, at);
      at += part.length;
    }
    whole.set(tail, at);
    this.#rest = [];
    this.#restBytes = 0;
    return this.#decoder.decode(whole);
  }
}
