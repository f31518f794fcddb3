import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { forgetListeners } from '@binnacle/base/node';
import { TransportError } from '../errors.ts';
import { basePathOf } from './endpoint.ts';
import { sendPieces } from './exchange.ts';
import type { Exchange, ExchangeSink, ReplyHeaders, RunningExchange } from './exchange.ts';

/** A connection on which nothing moved for this long is asked whether it still lives … */
const IDLE_PING_MS = 30_000;
/** … and given up when it does not answer within this. */
const PONG_MS = 15_000;
/** What a peer allows that has not said so (RFC 9113 recommends at least this). */
const STREAMS_DEFAULT = 100;
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Who hears of a connection, and how long it may be silent. */
export interface SessionOptions {
  /** Nothing more is to be sent on it. */
  readonly onUnusable: () => void;
  /** Default 30 s. */
  readonly idlePingMs?: number;
}

/** One HTTP/2 connection. */
export class Http2Session {
  readonly #session: ClientHttp2Session;
  readonly #basePath: string;
  #open = 0;
  #usable = true;
  readonly #socket: TLSSocket;
  readonly #retire: () => void;
  /** Resolves when the peer has said how many streams it allows, or is gone. */
  readonly ready: Promise<void>;

  constructor(server: string, socket: TLSSocket, { onUnusable, idlePingMs = IDLE_PING_MS }: SessionOptions) {
    this.#socket = socket;
    this.#basePath = basePathOf(server);
    this.#session = connect(server, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
    });
    const retire = (this.#retire = (): void => {
      if (!this.#usable) return;
      this.#usable = false;
      onUnusable();
    });
    this.#session.once('goaway', retire);
    this.#session.once('close', retire);
    // Each stream reports the failure to its own caller.
    this.#session.on('error', retire);
    this.#session.once('connect', () => this.#session.setLocalWindowSize(WINDOW_BYTES * 4));
    this.ready = new Promise((resolve) => {
      this.#session.once('remoteSettings', () => resolve());
      this.#session.once('close', () => resolve());
    });
    this.#session.setTimeout(idlePingMs);
    // Not given to `setTimeout`, which would tell of the first silence alone.
    this.#session.on('timeout', () => this.#ping(idlePingMs));
  }

  get isUsable(): boolean {
    return this.#usable;
  }

  get hasRoom(): boolean {
    return this.#usable && this.#open < (this.#session.remoteSettings?.maxConcurrentStreams ?? STREAMS_DEFAULT);
  }

  send(exchange: Exchange, sink: ExchangeSink): RunningExchange {
    const stream = this.#request(exchange);
    if (stream === undefined) {
      queueMicrotask(() => sink.fail(cutBy(constants.NGHTTP2_REFUSED_STREAM, undefined)));
      return NOTHING_RUNS;
    }
    this.#open++;
    return this.#follow(stream, exchange, sink);
  }

  /** Undefined when the connection broke and has not said so yet. */
  #request(exchange: Exchange): ClientHttp2Stream | undefined {
    try {
      return this.#session.request(
        { ...exchange.headers, ':method': exchange.method, ':path': this.#basePath + exchange.path },
        { endStream: exchange.body === undefined },
      );
    } catch {
      this.#retire();
      return undefined;
    }
  }

  #follow(stream: ClientHttp2Stream, exchange: Exchange, sink: ExchangeSink): RunningExchange {
    let over = false;
    let ended = false;
    let expected: number | undefined;
    let received = 0;
    let failure: Error | undefined;
    stream.on('response', (headers) => {
      const length = headers['content-length'];
      if (typeof length === 'string') expected = Number(length);
      if (!over) sink.head(Number(headers[':status']), headers as ReplyHeaders);
    });
    stream.on('data', (chunk: Uint8Array) => {
      received += chunk.length;
      if (!over) sink.data(chunk);
    });
    stream.on('end', () => {
      ended = true;
    });
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on('close', () => {
      this.#open--;
      if (over) return;
      over = true;
      // 'end' comes for a cut stream too: only a clean close with all its bytes is an answer.
      const clean = ended && !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR && failure === undefined;
      if (clean) forgetListeners(stream);
      if (clean && (expected === undefined || expected === received)) sink.end();
      else sink.fail(cutBy(stream.rstCode, failure));
    });
    if (exchange.body instanceof Uint8Array) stream.end(exchange.body);
    else if (exchange.body !== undefined) {
      sendPieces(exchange.body, stream, (error) => stream.destroy(error));
    }
    return {
      pause() {
        stream.pause();
      },
      resume() {
        stream.resume();
      },
      cancel: () => {
        over = true;
        stream.close(constants.NGHTTP2_CANCEL);
      },
    };
  }

  close(): Promise<void> {
    this.#usable = false;
    this.#session.destroy();
    // A session whose peer vanished in the same moment may never say 'close' (Node 24.19); its socket always does.
    this.#socket.destroy();
    if (this.#socket.closed) return Promise.resolve();
    return new Promise((resolve) => this.#socket.once('close', () => resolve()));
  }

  #ping(idlePingMs: number): void {
    if (this.#session.destroyed) return;
    const deadline = setTimeout(
      () => this.#session.destroy(new TransportError('timeout', 'no answer to ping')),
      PONG_MS,
    );
    deadline.unref();
    const sent = this.#session.ping((error) => {
      clearTimeout(deadline);
      if (this.#session.destroyed) return;
      if (error !== null) this.#session.destroy();
      // A pong is no end of the silence: Node would not tell of the same one again.
      else this.#session.setTimeout(idlePingMs);
    });
    if (!sent) clearTimeout(deadline);
  }
}

const NOTHING_RUNS: RunningExchange = {
  cancel: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

function cutBy(code: number | undefined, cause: Error | undefined): TransportError {
  // The peer promises that it has not looked at the request: anybody may send it again.
  const refused = code === constants.NGHTTP2_REFUSED_STREAM;
  return new TransportError('cut', refused ? 'the stream was refused' : 'the stream was cut', {
    facts: { code, refused },
    cause,
  });
}
