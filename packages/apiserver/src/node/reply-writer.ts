import type { ServerResponse, OutgoingHttpHeaders } from 'node:http';
import { constants, sensitiveHeaders } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import type { Writable } from 'node:stream';
import { forgetListeners } from '@binnacle/base/node';

/** Where a reply goes, whichever HTTP it is. Nothing here throws when the client has gone. */
export interface ReplyWriter {
  readonly gone: boolean;
  readonly sink: Writable;
  /** Goes out with the first bytes behind it, or by `flush`. */
  head(code: number, headers: OutgoingHttpHeaders): void;
  /** The head goes now: what is behind it may be long in coming, and the client has to know that the reply stands. */
  flush(): void;
  onGone(run: () => void): void;
  /** Breaks the reply off when the client takes nothing of it for so long. */
  limitStall(ms: number): void;
}

/** An id of its own per reply would push everything else out of the connection's table of known headers (RFC 7541, 7.1.3). */
const NEVER_INDEXED = { [sensitiveHeaders]: ['audit-id'] };

/** Larger ones, which a webhook or whoever is proxied to may say, Node sends over HTTP/1 only; clients take both alike. */
const HTTP2_CODE_MAX = 599;

export class Http2Writer implements ReplyWriter {
  readonly sink: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    stream.destroy = destroyWhenWritten;
    this.sink = stream;
  }

  get gone(): boolean {
    return this.sink.destroyed || this.sink.closed;
  }

  head(code: number, headers: OutgoingHttpHeaders): void {
    if (this.gone || this.sink.headersSent) return;
    // Names and values in turn: of an object Node makes a copy first, which has no hidden class and costs a microsecond.
    const lines: unknown[] = [constants.HTTP2_HEADER_STATUS, Math.min(code, HTTP2_CODE_MAX)];
    for (const name in headers) lines.push(name, headers[name]);
    this.sink.respond(Object.assign(lines, NEVER_INDEXED) as unknown as OutgoingHttpHeaders);
    // It is on its way; Node keeps the list as long as the stream.
    lines.length = 0;
  }

  /** What is written to a session goes out with the turn anyway. */
  flush(): void {}

  onGone(run: () => void): void {
    this.sink.once('close', run);
  }

  limitStall(ms: number): void {
    this.sink.setTimeout(ms, () => this.sink.destroy());
  }
}

export class Http1Writer implements ReplyWriter {
  readonly sink: ServerResponse;

  constructor(response: ServerResponse) {
    this.sink = response;
  }

  get gone(): boolean {
    return this.sink.destroyed || this.sink.writableEnded;
  }

  /** Over TLS a second write waits for the loop to have gone around since the first: a head of its own costs a whole turn. */
  head(code: number, headers: OutgoingHttpHeaders): void {
    if (this.sink.destroyed || this.sink.headersSent) return;
    this.sink.writeHead(code, headers);
  }

  flush(): void {
    if (!this.sink.destroyed) this.sink.flushHeaders();
  }

  onGone(run: () => void): void {
    this.sink.once('close', run);
  }

  limitStall(ms: number): void {
    this.sink.setTimeout(ms, () => this.sink.destroy());
  }
}

/**
 * Node destroys a stream when its last frame is on the way, before the write calls back; the write then finds a
 * destroyed stream, and makes an error with a stack trace for it that nobody sees: a sixth of the time of a small reply.
 * So a stream that ended well on both sides waits for its last write, which the session calls back even when it breaks.
 */
function destroyWhenWritten(this: ServerHttp2Stream, error?: Error): ServerHttp2Stream {
  const isWaiting = error === undefined && this.writableEnded && !this.writableFinished;
  if (!isWaiting || !endedWell(this)) return destroyNow.call(this, error);
  this.once('finish', destroyNow);
  return this;
}

/** Whether our last frame has been handed over; a client that gives up may say NO_ERROR too, with most yet to be sent. */
function endedWell(stream: ServerHttp2Stream): boolean {
  const { closed, rstCode, session } = stream;
  return (
    closed && rstCode === constants.NGHTTP2_NO_ERROR && session?.destroyed === false && stream.state.localClose === 1
  );
}

function destroyNow(this: ServerHttp2Stream, error?: Error): ServerHttp2Stream {
  Duplex.prototype.destroy.call(this, error);
  if (error === undefined && this.writableFinished) forgetListeners(this);
  return this;
}

/** Writes pieces one after the other, waiting while the client does not take them. Ends the reply. */
export async function writePieces(
  writer: Pick<ReplyWriter, 'gone' | 'sink'>,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  for (const piece of pieces) {
    if (writer.gone) return;
    if (!writer.sink.write(piece)) await drained(writer.sink);
  }
  if (!writer.gone) writer.sink.end();
}

/** Resolves when more can be written, or nobody is there to write to. */
export function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off('drain', done);
      sink.off('close', done);
      resolve();
    };
    sink.on('drain', done);
    sink.on('close', done);
  });
}
