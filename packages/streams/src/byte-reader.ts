import type { Duplex } from '@binnacle/base';
import { StreamProtocolError } from './errors.ts';

/** Takes a stream apart by lengths, whatever pieces it comes in. */
export class ByteReader {
  readonly #source: Pick<Duplex, 'read'>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: Pick<Duplex, 'read'>) {
    this.#source = source;
  }

  /** So many bytes; undefined when the stream ended before the first of them. Throws when it ended behind it. */
  async exactly(length: number): Promise<Uint8Array | undefined> {
    if (this.#chunk.length >= length) return this.#cut(length);
    const whole = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      if (!(await this.#fill())) {
        if (filled === 0) return undefined;
        throw new StreamProtocolError('the stream ended in the middle of a frame');
      }
      const part = this.#cut(Math.min(length - filled, this.#chunk.length));
      whole.set(part, filled);
      filled += part.length;
    }
    return whole;
  }

  /** What is there already, or comes next: at least one byte and no more than `lengthMax`. Not copied. */
  async some(lengthMax: number): Promise<Uint8Array> {
    if (!(await this.#fill())) throw new StreamProtocolError('the stream ended in the middle of a frame');
    return this.#cut(Math.min(lengthMax, this.#chunk.length));
  }

  async #fill(): Promise<boolean> {
    if (this.#chunk.length > 0) return true;
    const chunk = await this.#source.read();
    if (chunk === undefined) return false;
    this.#chunk = chunk;
    return true;
  }

  #cut(length: number): Uint8Array {
    const part = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    return part;
  }
}
