import type { Agent as HttpAgent, ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Agent as HttpsAgent } from 'node:https';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { areSoundLines, LAX_REPLIES, nodeHttp, nodeStreamOf, readLaxHead } from '@binnacle/base/node';
import type { Duplex as HouseDuplex } from '@binnacle/base';
import { BadReplyError, GatewayTimeoutError } from '../errors.ts';
import type { BackendProtocol, ConnectPlace, Place } from '../ports.ts';
import type { FailedPlaces } from './failed-places.ts';
import { endToEnd } from './head.ts';
import type { ReadHead } from './head.ts';

/** A request of either protocol, and what answers it. */
export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

/** Connections to backends that are kept for the next request. */
export interface BackendAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** One request on its way. */
export interface PassageOptions {
  readonly head: ReadHead;
  /** Tried in this order. */
  readonly places: readonly Place[];
  /** Told who could not be reached, and who could. */
  readonly standing: Pick<FailedPlaces, 'failed' | 'reached'>;
  readonly protocol: Exclude<BackendProtocol, 'h2c'>;
  readonly agents: BackendAgents;
  readonly connect: ConnectPlace;
  readonly request: AnyRequest;
  /** What answers; made when it is needed, where the connection may become another protocol's. */
  readonly response: () => AnyResponse;
  /** The client asks for another protocol: what becomes of the connection once the backend changes to it. */
  readonly upgrade?: {
    readonly protocol: string;
    readonly changed: (reply: IncomingMessage, stream: Duplex, head: Uint8Array) => void;
  };
  /** Nobody answered: told once, with what was wrong. */
  readonly failed: (status: 502 | 504, error: Error) => void;
}

/** Who refuses, or is not there, is passed over for the next one. */
export const TRIES_MAX = 3;
const CONNECT_MS_MAX = 5_000;
/** Nothing came and nothing went for so long: the other side is taken for dead. */
export const IDLE_MS_MAX = 300_000;
/** Methods that may be sent a second time where a kept connection turns out to have been closed meanwhile. */
export const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
/** Replies of 1xx before the one that counts. */
export const HINTS_MAX = 20;
const STREAM_BROKEN = 0x2;

/**
 * Passes one request on and the reply back, bodies at the pace of who takes them. Nothing of a body is sent before
 * somebody is reached, so that a pod that just went costs a try and no request.
 */
export class Passage {
  readonly #options: PassageOptions;
  readonly #hasBody: boolean;
  #upstream: ClientRequest | undefined;
  #isOver = false;
  #isBodyOnItsWay = false;

  constructor(options: PassageOptions) {
    this.#options = options;
    this.#hasBody = hasBody(options.request);
  }

  start(): void {
    this.#try(0);
  }

  /** The client is gone. */
  abandon(): void {
    this.#isOver = true;
    this.#upstream?.destroy();
  }

  #try(at: number): void {
    const { request, places, standing, upgrade } = this.#options;
    const place = places[at % places.length];
    let upstream: ClientRequest;
    try {
      upstream = this.#ask(place, at);
    } catch (error) {
      // What this side takes for a head, the other one's words may not say.
      return this.#fail(error as Error);
    }
    this.#upstream = upstream;
    let isReached = false;
    upstream.once('socket', (socket) => {
      const reached = (): void => {
        isReached = true;
        if (place !== undefined) standing.reached(place);
        if (!this.#hasBody || this.#isOver) return;
        this.#isBodyOnItsWay = true;
        // Whoever waits for a word before it sends any of the body would wait for ever.
        upstream.flushHeaders();
        request.pipe(upstream);
      };
      if ('setTimeout' in socket)
        upstream.setTimeout(IDLE_MS_MAX, () => upstream.destroy(new GatewayTimeoutError('reply')));
      // A connection that was kept, or is none of the network's, is there already.
      if (socket.connecting !== true) return reached();
      const late = setTimeout(() => upstream.destroy(new GatewayTimeoutError('connect')), CONNECT_MS_MAX);
      upstream.once('close', () => clearTimeout(late));
      socket.once(this.#options.protocol === 'https' ? 'secureConnect' : 'connect', () => {
        clearTimeout(late);
        reached();
      });
    });
    upstream.once('response', (reply) => this.#reply(reply));
    let hints = 0;
    upstream.on('information', () => {
      if (++hints > HINTS_MAX) upstream.destroy(new BadReplyError(undefined));
    });
    if (upgrade !== undefined) {
      upstream.once('upgrade', (reply, stream, head) => {
        // Its end is what fails the request.
        if (readLaxHead(reply) === undefined) {
          stream.destroy();
          return;
        }
        this.#isOver = true;
        upgrade.changed(reply, stream, head);
      });
    }
    upstream.on('error', (error) => {
      if (this.#isOver) return;
      if (!isReached && place !== undefined) standing.failed(place);
      if (this.#mayTryAgain(at, isReached, upstream.reusedSocket && isHangUp(error))) return this.#try(at + 1);
      this.#fail(error);
    });
    // Who changes to another protocol unasked is hung up on without a word of why.
    upstream.once('close', () => {
      if (!this.#isOver && this.#upstream === upstream) this.#fail(new BadReplyError(undefined));
    });
    if (!this.#hasBody) upstream.end();
  }

  #fail(error: Error): void {
    this.#isOver = true;
    this.#options.failed(error instanceof GatewayTimeoutError ? 504 : 502, error);
  }

  /** `isLost`: it was sent to whom a kept connection led, and that ended; not to who answered badly, or not in time. */
  #mayTryAgain(at: number, isReached: boolean, isLost: boolean): boolean {
    if (this.#isBodyOnItsWay || at + 1 >= TRIES_MAX) return false;
    if (!isReached) return this.#options.places.length > 1;
    return isLost && REPEATABLE.has(this.#options.head.method);
  }

  #ask(place: Place | undefined, at: number): ClientRequest {
    const { head, protocol, agents, upgrade, connect, request } = this.#options;
    const isSecure = protocol === 'https';
    const length = request.headers['content-length'];
    const framing = !this.#hasBody
      ? {}
      : length === undefined
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': length };
    const options: RequestOptions = {
      host: place?.address,
      port: place?.port,
      method: head.method,
      path: `${head.path}${head.query}`,
      headers: {
        ...withoutFraming(head.headers),
        ...framing,
        ...(upgrade === undefined ? {} : { connection: 'Upgrade', upgrade: upgrade.protocol }),
      },
      // The last try is on a connection of its own.
      agent: at + 1 < TRIES_MAX ? (isSecure ? agents.https : agents.http) : false,
      setHost: false,
      ...LAX_REPLIES,
    };
    const dial = place === undefined ? undefined : connect(place);
    if (dial !== undefined) {
      // No socket, and no timeouts of one.
      return nodeHttp().request({ ...options, agent: undefined, createConnection: (_, done) => dialBy(dial, done) });
    }
    // A pod's certificate names nothing that could be checked, as for the API server's own proxy.
    if (isSecure) return requestHttps({ ...options, rejectUnauthorized: false, servername: '' });
    return nodeHttp().request(options);
  }

  #reply(reply: IncomingMessage): void {
    const { request } = this.#options;
    this.#isOver = true;
    const response = this.#options.response();
    const cut = (): void => {
      if ('stream' in response) response.stream.close(STREAM_BROKEN);
      else response.destroy();
    };
    reply.on('error', cut);
    try {
      writeHead(response, reply);
    } catch (error) {
      reply.destroy();
      this.#options.failed(502, new BadReplyError(error));
      return;
    }
    reply.pipe(response as NodeJS.WritableStream, { end: false });
    reply.once('end', () => {
      const trailers = trailersOf(reply);
      if (trailers.length > 0) response.addTrailers(Object.fromEntries(trailers));
      response.end();
      if (this.#upstream?.writableEnded !== false) return;
      // Who answers before it has heard all hears no more, and its connection is good for nothing else.
      request.unpipe();
      request.resume();
      this.#upstream.destroy();
    });
    reply.once('close', () => {
      if (!reply.complete) cut();
    });
  }
}

function withoutFraming(headers: ReadHead['headers']): ReadHead['headers'] {
  const { 'content-length': _length, ...rest } = headers;
  return rest;
}

/** Whether a body follows the request's head. */
export function hasBody(request: AnyRequest): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders;
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

function isHangUp(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

/** Throws for what the client's protocol cannot say. */
function writeHead(response: AnyResponse, reply: IncomingMessage): void {
  const { statusCode = 0, statusMessage = '' } = reply;
  if (statusCode < 200) throw new BadReplyError(undefined);
  const read = readLaxHead(reply);
  if (read === undefined) throw new BadReplyError(undefined);
  const headers = endToEnd(reply.rawHeaders, read === reply.headers ? NONE : LENGTH);
  if ('stream' in response) response.writeHead(statusCode, headers);
  else response.writeHead(statusCode, statusMessage, headers);
}

/** One line a name: HTTP/2 takes several of one name for a mistake, and says so when nobody can hear it any more. */
function trailersOf({ rawTrailers }: IncomingMessage): readonly (readonly [name: string, value: string])[] {
  if (!areSoundLines(rawTrailers)) return [];
  return Object.entries(endToEnd(rawTrailers, FRAMING)).map(([name, value]) => [name, [value].flat().join(', ')]);
}

const NONE: ReadonlySet<string> = new Set();
/** Beside chunks, which count. */
const LENGTH: ReadonlySet<string> = new Set(['content-length']);
/** What no trailer may say (RFC 9110, 6.5.1). */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'host', 'content-type', 'content-encoding', 'trailer']);

function dialBy(dial: () => Promise<HouseDuplex>, done: (error: Error | null, stream: Duplex) => void): undefined {
  const settle = async (): Promise<void> => {
    let stream: Duplex;
    try {
      stream = nodeStreamOf(await dial());
    } catch (error) {
      // Node's type wants a stream beside the error, and takes none.
      done(error as Error, undefined as unknown as Duplex);
      return;
    }
    done(null, stream);
  };
  // Never rejects: the callback takes what went wrong.
  void settle();
}
