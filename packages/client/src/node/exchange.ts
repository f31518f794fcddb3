import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';

/** One HTTP request, whatever the version of the protocol. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** Names in lower case, as Node gives them. */
export interface ReplyHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** Takes an answer in pieces. Exactly one of `end` and `fail` is called, last. */
export interface ExchangeSink {
  head(status: number, headers: ReplyHeaders): void;
  data(chunk: Uint8Array): void;
  /** The answer is complete. */
  end(): void;
  fail(error: Error): void;
}

export interface RunningExchange {
  /** Nothing is told to the sink after this. */
  cancel(): void;
  /** No more data until `resume`; what is under way already still comes. */
  pause(): void;
  resume(): void;
}

/** A connection, or a pool of them, to one server. */
export interface Transport {
  send(exchange: Exchange, sink: ExchangeSink): RunningExchange;
  close(): Promise<void>;
}

/** Sends a body piece by piece, at the pace of the connection. A source that fails ends the exchange by `cancel`. */
export function sendPieces(body: AsyncIterable<Uint8Array>, to: Writable, cancel: (error: Error) => void): void {
  const source = Readable.from(body, { objectMode: false });
  source.on('error', cancel);
  // The other side may answer, or go, before it has read all.
  to.once('close', () => source.destroy());
  source.pipe(to);
}

/** Whether a header can say it. HTTP/2 would leave out what it cannot, and ask as somebody else. */
export function isHeaderText(text: unknown): text is string {
  return typeof text === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(text);
}
