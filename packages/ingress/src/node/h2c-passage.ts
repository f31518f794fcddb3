import { constants } from 'node:http2';
import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { BadReplyError, GatewayTimeoutError } from '../errors.ts';
import type { H2cSessions, Seat } from './h2c-sessions.ts';
import { endToEnd } from './head.ts';
import { hasBody, HINTS_MAX, IDLE_MS_MAX, REPEATABLE, TRIES_MAX } from './passage.ts';
import type { AnyResponse, PassageOptions } from './passage.ts';

type Reply = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** One request on its way to a backend that speaks HTTP/2 without TLS, as gRPC does. */
export interface H2cPassageOptions extends Pick<
  PassageOptions,
  'head' | 'places' | 'standing' | 'request' | 'response' | 'failed'
> {
  readonly sessions: H2cSessions;
}

/**
 * Passes one request on and the reply back, both at once and at the pace of who takes them, with what follows the reply's body:
 * a gRPC status is there. Nothing is sent before somebody is reached.
 */
export class H2cPassage {
  readonly #options: H2cPassageOptions;
  #stream: ClientHttp2Stream | undefined;
  #isOver = false;

  constructor(options: H2cPassageOptions) {
    this.#options = options;
  }

  start(): void {
    this.#try(0);
  }

  /** The client is gone. */
  abandon(): void {
    this.#isOver = true;
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  #try(at: number): void {
    const begin = async (): Promise<void> => {
      try {
        const seat = await this.#reach(at);
        // It may end while we are told of it: nothing was sent yet.
        const isLost = seat.session.closed && at + 1 < TRIES_MAX;
        if (!this.#isOver && !isLost) return this.#ask(seat, at);
        seat.leave();
        if (!this.#isOver) this.#try(at + 1);
      } catch (error) {
        this.#fail(error as Error);
      }
    };
    // Never rejects: what goes wrong is told to `failed`.
    void begin();
  }

  async #reach(at: number): Promise<Seat> {
    const { places, standing, sessions } = this.#options;
    let failure: unknown;
    for (const place of [...places.slice(at), ...places.slice(0, at)].slice(0, TRIES_MAX)) {
      try {
        const seat = await sessions.take(place);
        standing.reached(place);
        return seat;
      } catch (error) {
        standing.failed(place);
        failure = error;
      }
    }
    throw failure;
  }

  #ask(seat: Seat, at: number): void {
    const { request } = this.#options;
    const endStream = !hasBody(request);
    const stream = this.#send(seat, endStream);
    this.#stream = stream;
    stream.setTimeout(IDLE_MS_MAX, () => stream.destroy(new GatewayTimeoutError('reply')));
    stream.once('response', (reply, flags) =>
      this.#reply(stream, reply, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0),
    );
    let hints = 0;
    stream.on('headers', () => {
      if (++hints > HINTS_MAX) stream.destroy(new BadReplyError(undefined));
    });
    let failure: Error | undefined;
    stream.on('error', (error) => (failure = error));
    stream.once('close', () => {
      if (this.#isOver) return;
      if (endStream && at + 1 < TRIES_MAX && this.#mayAskAgain(seat, stream)) return this.#try(at + 1);
      this.#fail(failure ?? new BadReplyError(undefined));
    });
    if (!endStream) request.pipe(stream);
  }

  /** It was not begun, or a kept connection ended meanwhile; whoever answered badly, or not in time, has been asked. */
  #mayAskAgain({ session }: Seat, { rstCode }: ClientHttp2Stream): boolean {
    if (rstCode === constants.NGHTTP2_REFUSED_STREAM) return true;
    return (session.closed || session.destroyed) && REPEATABLE.has(this.#options.head.method);
  }

  /** Throws for what HTTP/2 cannot say, and where the connection has ended. */
  #send({ session, leave }: Seat, endStream: boolean): ClientHttp2Stream {
    const { head, request } = this.#options;
    const { host: _host, ...headers } = head.headers;
    const lines = {
      ...{ ':method': head.method, ':path': `${head.path}${head.query}`, ':authority': head.authority },
      ...{ ':scheme': headers['x-forwarded-proto'] === 'https' ? 'https' : 'http' },
      ...headers,
      // What says of a connection that it can carry what follows a body is said of each anew.
      ...(request.headers.te === undefined ? {} : { te: 'trailers' }),
    };
    try {
      return session.request(lines, { endStream }).once('close', leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.failed(error instanceof GatewayTimeoutError ? 504 : 502, error);
  }

  #reply(stream: ClientHttp2Stream, reply: Reply, isWhole: boolean): void {
    const { request } = this.#options;
    if (this.#isOver) return;
    this.#isOver = true;
    const response = this.#options.response();
    try {
      if (isWhole) return writeWhole(response, reply);
      writeHead(response, reply);
    } catch (error) {
      stream.close(constants.NGHTTP2_CANCEL);
      return this.#options.failed(502, new BadReplyError(error));
    }
    const trailers = new Map<string, string>();
    stream.once('trailers', (lines) => {
      for (const [name, value] of Object.entries(headersOf(lines))) trailers.set(name, [value].flat().join(', '));
    });
    stream.pipe(response as NodeJS.WritableStream, { end: false });
    let isEnded = false;
    stream.once('end', () => {
      isEnded = stream.rstCode === constants.NGHTTP2_NO_ERROR;
      if (!isEnded) return;
      if (trailers.size > 0) response.addTrailers(Object.fromEntries(trailers));
      response.end();
      if (stream.writableEnded) return;
      // Who answers before it has heard all hears no more.
      request.unpipe();
      request.resume();
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.once('close', () => {
      if (isEnded) return;
      if ('stream' in response) response.stream.close(stream.rstCode || constants.NGHTTP2_INTERNAL_ERROR);
      else response.destroy();
    });
  }
}

/** Throws for what the client's protocol cannot say. */
function writeHead(response: AnyResponse, reply: Reply): void {
  const status = statusOf(reply);
  // The two have one method with types of their own.
  if ('stream' in response) response.writeHead(status, headersOf(reply));
  else response.writeHead(status, headersOf(reply));
}

/** A reply that is all head: with gRPC its status stands there, and means so only where nothing follows. Throws as `writeHead`. */
function writeWhole(response: AnyResponse, reply: Reply): void {
  const status = statusOf(reply);
  if ('stream' in response) response.stream.respond({ ':status': status, ...headersOf(reply) }, { endStream: true });
  else response.writeHead(status, headersOf(reply)).end();
}

function statusOf({ ':status': status = 0 }: Reply): number {
  if (status < 200 || status > 599) throw new BadReplyError(undefined);
  return status;
}

function headersOf(lines: IncomingHttpHeaders): ReturnType<typeof endToEnd> {
  return endToEnd(
    Object.entries(lines).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, `${one}`])),
  );
}
