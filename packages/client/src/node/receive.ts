import { AbortedError } from '@binnacle/base';
import type { RawReply } from '@binnacle/machinery';
import type { Exchange, ReplyHeaders, RunningExchange, Transport } from './exchange.ts';

/** What waits for a reader before the connection is paused. */
const HELD_BYTES_MAX = 256 * 1024;

/** Sends an exchange; answers with the head of its reply as soon as that is there, and with the body as it comes. */
export function receive(transport: Transport, exchange: Exchange, signal: AbortSignal | undefined): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new AbortedError(exchange.path, signal.reason));
      return;
    }
    const body = new ReceivedBody(() => {
      signal?.removeEventListener('abort', onAbort);
    });
    const onAbort = (): void => {
      const error = new AbortedError(exchange.path, signal?.reason);
      body.cancel();
      body.fail(error);
      reject(error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    body.running = transport.send(exchange, {
      head: (status: number, headers: ReplyHeaders) => resolve({ status, headers, body }),
      data: (chunk) => body.push(chunk),
      end: () => body.end(),
      fail: (error) => {
        body.fail(error);
        reject(error);
      },
    });
  });
}

interface Reader {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: Error) => void;
}

const DONE: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/** A body at the pace of its reader. */
export class ReceivedBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  running: RunningExchange | undefined;
  readonly #onOver: () => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #paused = false;
  #ended = false;
  #error: Error | undefined;
  #reader: Reader | undefined;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  push(chunk: Uint8Array): void {
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < HELD_BYTES_MAX || this.#paused) return;
    this.#paused = true;
    this.running?.pause();
  }

  end(): void {
    this.#ended = true;
    this.#onOver();
    this.#reader?.resolve(DONE);
    this.#reader = undefined;
  }

  fail(error: Error): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#error = error;
    this.#onOver();
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  cancel(): void {
    this.running?.cancel();
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#held.shift();
    if (value !== undefined) {
      this.#heldBytes -= value.length;
      if (this.#paused && this.#heldBytes < HELD_BYTES_MAX) {
        this.#paused = false;
        this.running?.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** Ends the exchange, however much of it is still to come. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#held = [];
    if (!this.#ended && this.#error === undefined) this.cancel();
    this.end();
    return Promise.resolve(DONE);
  }
}
