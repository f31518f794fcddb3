import type { Http2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex as NodeDuplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Duplex } from '../duplex.ts';
import { StreamCutError, StreamEndedError } from '../duplex.ts';
import { AbortedError, assert } from '../error.ts';

/** What waits for a reader before the stream is paused. */
const HELD_BYTES_MAX = 64 * 1024;
/** Codes of RST_STREAM (RFC 9113 §7). By value: Node's table of them would load all of its HTTP/2. */
const H2_NO_ERROR = 0;
const H2_CANCEL = 8;

/**
 * A Node stream (TCP or TLS socket, pipe, HTTP/2 stream) as a Duplex; nobody else may read or write it from now on.
 * `head`: what was read of it already, as an upgrade hands it over.
 */
export function duplexOf(stream: NodeDuplex, head?: Uint8Array): Duplex {
  return new StreamDuplex(stream, head);
}

type AnyStream = NodeDuplex &
  Partial<Pick<Http2Stream, 'rstCode' | 'close'> & Pick<Socket, 'remoteFamily' | 'resetAndDestroy'>> &
  Partial<Pick<TLSSocket, 'encrypted'>>;

interface Reader {
  readonly resolve: (chunk: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
}

class StreamDuplex implements Duplex {
  readonly closed: Promise<Error | undefined>;
  readonly #stream: AnyStream;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #reader: Reader | undefined;
  #readEnded = false;
  #writeEnded = false;
  #error: Error | undefined;

  constructor(stream: NodeDuplex, head: Uint8Array | undefined) {
    this.#stream = stream;
    // A socket would otherwise end its own half when the other side ends its.
    stream.allowHalfOpen = true;
    if (head !== undefined && head.length > 0) this.#hold(head);
    stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
    stream.on('end', () => this.#takeEnd());
    // Told once it is closed, together with a close that has no error.
    let failure: Error | undefined;
    stream.on('error', (error) => {
      failure = error;
    });
    this.closed = new Promise((resolve) => {
      const over = (): void => {
        if (!this.#readEnded || !this.#writeEnded) {
          this.#fail(new StreamCutError(failure?.message, failure));
        }
        resolve(this.#error);
      };
      if (stream.closed) queueMicrotask(over);
      else stream.once('close', over);
    });
  }

  read(): Promise<Uint8Array | undefined> {
    // What came before the other side broke off is still read; `abort` has let go of it.
    const chunk = this.#held.shift();
    if (chunk !== undefined) {
      this.#heldBytes -= chunk.length;
      if (this.#heldBytes < HELD_BYTES_MAX && this.#stream.isPaused()) this.#stream.resume();
      return Promise.resolve(chunk);
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#readEnded) return Promise.resolve(undefined);
    assert(this.#reader === undefined, 'one read at a time');
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  write(chunk: Uint8Array): Promise<void> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#writeEnded) return Promise.reject(new StreamEndedError());
    if (chunk.length === 0 || this.#stream.write(chunk)) return Promise.resolve();
    return this.#until('drain');
  }

  end(): Promise<void> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#writeEnded) return Promise.resolve();
    this.#writeEnded = true;
    const finished = this.#until('finish');
    this.#stream.end();
    return finished;
  }

  abort(error: Error = new AbortedError('the stream')): void {
    if (this.#readEnded && this.#writeEnded) return;
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#error !== undefined) return;
    this.#fail(error);
    // One that is only destroyed tells the other side of an orderly end. TLS and pipes know no other way.
    const stream = this.#stream;
    stream.close?.(H2_CANCEL);
    const isTcp = stream.remoteFamily !== undefined && stream.encrypted !== true;
    if (isTcp && stream.resetAndDestroy !== undefined) stream.resetAndDestroy();
    else stream.destroy();
  }

  #take(chunk: Uint8Array): void {
    if (this.#error !== undefined) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(chunk);
      return;
    }
    this.#hold(chunk);
    if (this.#heldBytes >= HELD_BYTES_MAX) this.#stream.pause();
  }

  #hold(chunk: Uint8Array): void {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
  }

  #takeEnd(): void {
    // Node tells of an end also where the other side reset the stream.
    if ((this.#stream.rstCode ?? H2_NO_ERROR) !== H2_NO_ERROR) return;
    this.#readEnded = true;
    this.#reader?.resolve(undefined);
    this.#reader = undefined;
  }

  #fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  #until(event: 'drain' | 'finish'): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#stream.off(event, settle);
        this.#stream.off('close', settle);
        const { writableFinished, destroyed, rstCode, errored } = this.#stream;
        // An HTTP/2 stream that ends as its last half closes without a `finish`.
        const failed = event === 'finish' ? !writableFinished && rstCode !== H2_NO_ERROR : destroyed;
        if (!failed) resolve();
        else reject(this.#error ?? new StreamCutError(errored?.message, errored ?? undefined));
      };
      this.#stream.on(event, settle);
      this.#stream.on('close', settle);
      // An HTTP/2 stream may be closed by its session before it is asked.
      if (this.#stream.closed) settle();
    });
  }
}
