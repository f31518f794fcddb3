import { assert, createDuplexPair, StreamCutError } from '@binnacle/base';
import type { Duplex, PairedDuplex } from '@binnacle/base';
import { StreamResetError } from '../errors.ts';
import type { SpdyHeaders } from './header-block.ts';

/** A stream of a connection, with what it was opened with. */
export interface SpdyStream {
  readonly headers: SpdyHeaders;
  /** Resolves when the other side takes the stream; rejects when it does not (StreamResetError) or breaks. */
  readonly accepted: Promise<void>;
  readonly bytes: Duplex;
}

/** Status of a reset: its sender wants no more of the stream, or has finished with it. */
export const CANCEL = 5;
/** What waits for the reader of one stream; then the connection stands still, for SPDY's own windows nobody keeps. */
const STREAM_BYTES_MAX = 256 * 1024;

/** One stream: its owner holds one end of a pair, the connection the other. */
export class Lane implements SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly bytes: Duplex;
  readonly far: PairedDuplex;
  readonly accepted: Promise<void>;
  localEnded = false;
  remoteEnded = false;
  dropped = false;
  /** By the other side, or with the connection: nobody is to be told. */
  wasReset = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(id: number, headers: SpdyHeaders) {
    assert(id > 0, 'streams count from 1');
    this.id = id;
    this.headers = headers;
    [this.bytes, this.far] = createDuplexPair({ highWaterBytes: STREAM_BYTES_MAX });
    this.accepted = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever opened the stream asks or does not: a refusal shows in its bytes too.
    this.accepted.catch(() => undefined);
    // Never rejects: `closed` does not.
    void this.far.closed.then(() => this.#settle?.reject(new StreamCutError()));
  }

  accept(): void {
    this.#settle?.resolve();
  }

  /**
   * The server has finished with the stream: Go's servers end each of theirs by a reset, right behind the last byte.
   * What came is still read, and then the end.
   */
  async finish(): Promise<void> {
    this.wasReset = true;
    this.remoteEnded = true;
    this.#settle?.reject(new StreamResetError(CANCEL));
    try {
      await this.far.end();
    } catch {
      // Its owner has dropped the stream too.
      this.dropped = true;
    }
  }

  /** What came and what still comes is for nobody. */
  drop(error?: Error): void {
    this.dropped = true;
    this.far.abort(error);
  }

  /** By the other side, or with the connection: its owner reads what had come, and then learns why there is no more. */
  cut(error: Error): void {
    this.wasReset ||= error instanceof StreamResetError;
    this.#settle?.reject(error);
    this.far.cut(error);
  }
}
