import type { ServerResponse } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { constants } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import type { Writable } from 'node:stream';

/** Where a reply goes, whichever HTTP it is. Nothing here throws when the client has gone. */
export interface ReplyWriter {
  readonly gone: boolean;
  readonly sink: Writable;
  head(code: number, headers: OutgoingHttpHeaders): void;
  onGone(run: () => void): void;
}

export function http2Writer(stream: ServerHttp2Stream): ReplyWriter {
  const gone = (): boolean => stream.destroyed || stream.closed;
  return {
    get gone() {
      return gone();
    },
    sink: stream,
    head(code, headers) {
      if (gone() || stream.headersSent) return;
      stream.respond({ [constants.HTTP2_HEADER_STATUS]: code, ...headers });
    },
    onGone: (run) => stream.once('close', run),
  };
}

export function http1Writer(response: ServerResponse): ReplyWriter {
  return {
    get gone() {
      return response.destroyed || response.writableEnded;
    },
    sink: response,
    head(code, headers) {
      if (response.destroyed || response.headersSent) return;
      response.writeHead(code, headers);
      // A watch may have nothing to say for long: the client has to know that it stands.
      response.flushHeaders();
    },
    onGone: (run) => response.once('close', run),
  };
}

/** Writes pieces one after the other, waiting while the client does not take them. Ends the reply. */
export async function writePieces(writer: ReplyWriter, pieces: Iterable<Uint8Array>): Promise<void> {
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
