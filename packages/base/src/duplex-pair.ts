import type { Duplex } from './duplex.ts';
import { StreamCutError, StreamEndedError } from './duplex.ts';
import { AbortedError, assert } from './error.ts';

/** What waits in one direction at the most before the writer is held back; one chunk may go beyond it. */
const HIGH_WATER_BYTES = 64 * 1024;
/** So many chunks that were read may still stand in the list. */
const TAKEN_MAX = 16;

/** One end of a stream in memory. */
export interface PairedDuplex extends Duplex {
  /**
   * What carried the stream broke, and nobody stands behind this end any more: what was written here is still read at
   * the other end, then comes the end that was written behind it or else `error`; what the other end writes is refused.
   */
  cut(error: Error): void;
}

/** Two ends of one stream in memory: what is written at one is read at the other. */
export function createDuplexPair(
  options: { readonly highWaterBytes?: number } = {},
): readonly [PairedDuplex, PairedDuplex] {
  const bound = options.highWaterBytes ?? HIGH_WATER_BYTES;
  const [there, back] = [new Lane(bound), new Lane(bound)];
  const near = new PairEnd(back, there);
  const far = new PairEnd(there, back);
  near.peer = far;
  far.peer = near;
  return [near, far];
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** One direction. Chunks pass as they are; nothing is copied. */
class Lane {
  readonly #bound: number;
  #chunks: Uint8Array[] = [];
  #next = 0;
  #bytes = 0;
  #ended = false;
  #cut: Error | undefined;
  #reader: Waiting<Uint8Array | undefined> | undefined;
  #writers: Waiting<void>[] = [];

  constructor(bound: number) {
    this.#bound = bound;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Ended or cut, and nothing is left to read. */
  get over(): boolean {
    return (this.#ended || this.#cut !== undefined) && this.#bytes === 0;
  }

  write(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0) return Promise.resolve();
    if (this.#reader !== undefined) {
      const reader = this.#reader;
      this.#reader = undefined;
      reader.resolve(chunk);
      return Promise.resolve();
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#bound) return Promise.resolve();
    return new Promise((resolve, reject) => this.#writers.push({ resolve, reject }));
  }

  end(): void {
    this.#ended = true;
    this.#reader?.resolve(undefined);
    this.#reader = undefined;
  }

  read(): Promise<Uint8Array | undefined> {
    const chunk = this.#chunks[this.#next];
    if (chunk !== undefined) {
      this.#take(chunk);
      return Promise.resolve(chunk);
    }
    if (this.#ended) return Promise.resolve(undefined);
    if (this.#cut !== undefined) return Promise.reject(this.#cut);
    assert(this.#reader === undefined, 'one read at a time');
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  #take(chunk: Uint8Array): void {
    this.#bytes -= chunk.length;
    // What was read is let go of, also where the writer is always ahead and the list never empties.
    if (++this.#next >= TAKEN_MAX || this.#next === this.#chunks.length) {
      this.#chunks.splice(0, this.#next);
      this.#next = 0;
    }
    if (this.#bytes >= this.#bound) return;
    for (const writer of this.#writers.splice(0)) writer.resolve();
  }

  /** Behind what was written comes `error`, unless the end stands there. */
  cut(error: Error): void {
    if (this.#ended) return;
    this.#cut = error;
    this.#reader?.reject(error);
    this.#reader = undefined;
    for (const writer of this.#writers.splice(0)) writer.reject(error);
  }

  drop(readers: Error, writers: Error): void {
    this.#chunks = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#reader?.reject(readers);
    this.#reader = undefined;
    for (const writer of this.#writers.splice(0)) writer.reject(writers);
  }
}

class PairEnd implements PairedDuplex {
  readonly closed: Promise<Error | undefined>;
  /** The other end. */
  peer: PairEnd | undefined;
  readonly #in: Lane;
  readonly #out: Lane;
  #error: Error | undefined;
  /** Why nothing more is taken, where what came before that is still read. */
  #refusal: Error | undefined;
  #close: (error: Error | undefined) => void = () => undefined;

  constructor(incoming: Lane, outgoing: Lane) {
    this.#in = incoming;
    this.#out = outgoing;
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  read(): Promise<Uint8Array | undefined> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    const chunk = this.#in.read();
    this.#settle();
    return chunk;
  }

  write(chunk: Uint8Array): Promise<void> {
    const refusal = this.#error ?? this.#refusal;
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#out.ended) return Promise.reject(new StreamEndedError());
    return this.#out.write(chunk);
  }

  end(): Promise<void> {
    const refusal = this.#error ?? this.#refusal;
    if (refusal !== undefined) return Promise.reject(refusal);
    this.#out.end();
    this.#settle();
    return Promise.resolve();
  }

  abort(error: Error = new AbortedError('the stream')): void {
    if (this.#error !== undefined || this.#isOver()) return;
    const cut = new StreamCutError(undefined, error);
    this.#in.drop(error, cut);
    this.#out.drop(cut, error);
    this.breakWith(error);
    this.peer?.breakWith(cut);
  }

  cut(error: Error): void {
    if (this.#error !== undefined || this.#isOver()) return;
    const cut = new StreamCutError(undefined, error);
    this.#out.cut(cut);
    this.#in.drop(error, cut);
    this.breakWith(error);
    this.peer?.refuse(cut);
  }

  breakWith(error: Error): void {
    this.#error = error;
    this.#close(error);
  }

  finish(): void {
    this.#close(undefined);
  }

  refuse(error: Error): void {
    this.#refusal = error;
    this.#settle();
  }

  #isOver(): boolean {
    return this.#in.over && this.#out.over;
  }

  /** Both directions end for both ends at once: with the last read of the last byte. */
  #settle(): void {
    if (this.#refusal !== undefined) {
      if (this.#in.over) this.#close(this.#refusal);
      return;
    }
    if (!this.#isOver()) return;
    this.finish();
    this.peer?.finish();
  }
}
