import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionCredentials } from './connection-credentials.ts';
import type { HttpRequestParts } from './http-request.ts';

/** What comes with a new stream: its headers, the flags of their frame, and the same headers as they came. */
export type Http2Head = [headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]];

const END_STREAM = 0x1;

/** A request over HTTP/2. */
export class Http2Parts implements HttpRequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Readable | undefined;
  readonly connection: ConnectionCredentials;
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, [headers, flags, rawHeaders]: Http2Head, connection: ConnectionCredentials) {
    this.method = headers[':method'] ?? 'GET';
    this.target = headers[':path'] ?? '/';
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.body = (flags & END_STREAM) === 0 ? stream : undefined;
    this.connection = connection;
    this.#stream = stream;
  }

  abandon(): void {
    const stream = this.#stream;
    stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
  }

  onGone(run: () => void): void {
    this.#stream.once('close', run);
  }

  remoteAddress(): string | undefined {
    return this.#stream.session?.socket?.remoteAddress;
  }
}

/** What all requests over HTTP/1.1 say alike. */
abstract class Http1Message implements HttpRequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly connection: ConnectionCredentials;
  abstract readonly body: Readable | undefined;
  readonly #socket: Socket;

  constructor(message: IncomingMessage, socket: Socket, connection: ConnectionCredentials) {
    this.method = message.method ?? 'GET';
    this.target = message.url ?? '/';
    this.headers = message.headers;
    this.rawHeaders = message.rawHeaders;
    this.connection = connection;
    this.#socket = socket;
  }

  abstract abandon(): void;
  abstract onGone(run: () => void): void;

  remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }
}

/** A request over HTTP/1.1. */
export class Http1Parts extends Http1Message {
  readonly body: Readable | undefined;
  readonly #response: ServerResponse;

  constructor(message: IncomingMessage, response: ServerResponse, connection: ConnectionCredentials) {
    super(message, message.socket, connection);
    const { headers } = message;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    this.body = hasBody ? message : undefined;
    this.#response = response;
  }

  abandon(): void {
    this.#response.setHeader('connection', 'close');
  }

  onGone(run: () => void): void {
    this.#response.once('close', run);
  }
}

/** A request over HTTP/1.1 to change the protocol: its connection is all there is. */
export class UpgradeParts extends Http1Message {
  readonly body = undefined;
  readonly #connected: Socket;

  constructor(message: IncomingMessage, socket: Socket, connection: ConnectionCredentials) {
    super(message, socket, connection);
    this.#connected = socket;
  }

  /** Nothing is read of it. */
  abandon(): void {}

  onGone(run: () => void): void {
    this.#connected.once('close', run);
  }
}
