import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Duplex as NodeDuplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions, PeerCertificate } from 'node:tls';
import type { HttpCall, HttpCaller, HttpReply, HttpUpgraded } from '../http.ts';
import { AbortedError, assert } from '../error.ts';
import { HttpConnectError, HttpTimeoutError, describeFailure } from '../http-errors.ts';
import { tellRefused, tellTaken, weakSignatureOn } from './certificate-flaws.ts';
import { nodeStreamOf } from './duplex-stream.ts';
import { LAX_REPLIES, readLaxHead } from './lax-replies.ts';
import { nodeHttp } from './node-http.ts';
import { limitOpening } from './opening-limit.ts';
import { checkAddress, permitted } from './permitted-addresses.ts';
import { openTunnel } from './proxy-tunnel.ts';
import { identityCheck } from './server-identity.ts';
import { duplexOf } from './stream-duplex.ts';
import { nameOf, tlsOf, TrustingAgent } from './trusting-agent.ts';

/** Bounds of what is kept open between calls. */
export interface HttpCallerOptions {
  /** Idle connections to one place; default 2, as Go's. */
  readonly idlePerHost?: number;
  /** Connections in all; further calls wait for one. Default 512. */
  readonly connectionsMax?: number;
  /** Of these, so many to one place: who hangs there leaves the others theirs. Default: all. */
  readonly connectionsPerPlace?: number;
  /** How long a connection is kept idle; default 90 s, as Go's. */
  readonly idleMs?: number;
}

/** HTTP/1.1 out of the house, over TLS or plain. `close` ends idle connections. */
export function createHttpCaller(options: HttpCallerOptions = {}): HttpCaller {
  return new NodeHttpCaller(options);
}

const HEADER_BYTES_MAX = 1 << 20;
/** Methods that do no harm when a kept connection turns out to have been closed meanwhile. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const TRIES_MAX = 3;
/** Replies of 1xx before the one that counts; each costs more to read than to send. */
const HINTS_MAX = 20;

/** A body that comes in pieces comes once. */
function isRepeatable({ method, body }: HttpCall): boolean {
  return REPEATABLE.has(method) && (body === undefined || body instanceof Uint8Array);
}

class NodeHttpCaller implements HttpCaller {
  readonly #options: HttpCallerOptions;
  #agents:
    | { readonly http: InstanceType<ReturnType<typeof nodeHttp>['Agent']>; readonly https: TrustingAgent }
    | undefined;

  constructor(options: HttpCallerOptions) {
    this.#options = options;
  }

  async request(call: HttpCall): Promise<HttpReply> {
    checkAddress(call);
    for (let tries = 1; ; tries++) {
      const sent = new Sent(call, optionsOf(call, this.#agentFor(call)));
      try {
        const reply = await sent.settled;
        if (!('stream' in reply)) return reply;
        reply.stream.abort();
        throw new HttpConnectError(call, { fault: 'malformed', why: 'unexpected 101 Switching Protocols' });
      } catch (error) {
        const stale = sent.reused && error instanceof HttpConnectError && error.fault === 'cut';
        if (!stale || !isRepeatable(call) || tries === TRIES_MAX) throw error;
      }
    }
  }

  async upgrade(call: HttpCall): Promise<HttpReply | HttpUpgraded> {
    checkAddress(call);
    const headers = { ...call.headers, connection: 'upgrade' };
    const plain = optionsOf({ ...call, headers }, false);
    const options = plain.protocol === 'https:' ? { ...plain, ...identityCheck(nameOf(call)) } : plain;
    const through = call.proxy === undefined ? {} : throughProxy(call.proxy, options);
    return new Sent({ ...call, headers }, { ...options, ...through }).settled;
  }

  close(): Promise<void> {
    this.#agents?.http.destroy();
    this.#agents?.https.destroy();
    this.#agents = undefined;
    return Promise.resolve();
  }

  #agentFor(call: HttpCall): NonNullable<RequestOptions['agent']> {
    const {
      idlePerHost = 2,
      connectionsMax = 512,
      connectionsPerPlace = connectionsMax,
      idleMs = 90_000,
    } = this.#options;
    const bounds = {
      keepAlive: true,
      maxFreeSockets: idlePerHost,
      maxSockets: connectionsPerPlace,
      maxTotalSockets: connectionsMax,
      timeout: idleMs,
    };
    this.#agents ??= { http: new (nodeHttp().Agent)(bounds), https: new TrustingAgent(bounds) };
    return call.url.startsWith('http:') ? this.#agents.http : this.#agents.https;
  }
}

function optionsOf(call: HttpCall, agent: NonNullable<RequestOptions['agent']>): RequestOptions {
  const url = new URL(call.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const shared: RequestOptions = {
    agent,
    protocol: url.protocol,
    host: call.dial?.host ?? host,
    port: call.dial?.port ?? (url.port === '' ? (secure ? 443 : 80) : Number(url.port)),
    path: `${url.pathname}${url.search}`,
    method: call.method,
    headers: { host: url.host, ...(call.headers as { readonly [name: string]: string | string[] }) },
    maxHeaderSize: HEADER_BYTES_MAX,
    ...LAX_REPLIES,
    ...(call.socketPath === undefined ? {} : { socketPath: call.socketPath }),
  };
  if (!secure) return { ...shared, ...connectionOf(call) };
  return { ...shared, ...tlsOf(call), ...connectionOf(call) };
}

/** How the connection is made, where not by the agent alone. */
function connectionOf({ url, connect, permits }: HttpCall): Partial<RequestOptions> {
  if (connect !== undefined) {
    assert(url.startsWith('http:'), 'a connection that is handed in is plain', { url });
    return {
      agent: undefined,
      createConnection: (_options, done) => connectBy(async () => nodeStreamOf(await connect()), done),
    };
  }
  return permits === undefined ? {} : { lookup: permitted(permits) };
}

/** By TLS inside a tunnel. */
function throughProxy(proxy: string, options: RequestOptions): Partial<RequestOptions> {
  assert(options.protocol === 'https:', 'only TLS goes through a proxy');
  const { host, port } = { host: String(options.host), port: Number(options.port) };
  return {
    agent: undefined,
    createConnection: (_options, done) =>
      connectBy(async () => {
        const socket = await openTunnel(proxy, { host, port });
        return connectTls({ ...(options as ConnectionOptions), socket });
      }, done),
  };
}

function connectBy(
  connect: () => Promise<NodeDuplex>,
  done: (error: Error | null, stream: NodeDuplex) => void,
): undefined {
  const settle = async (): Promise<void> => {
    let stream: NodeDuplex;
    try {
      stream = await connect();
    } catch (error) {
      // Node's type wants a stream beside the error, and takes none.
      done(error as Error, undefined as unknown as NodeDuplex);
      return;
    }
    done(null, stream);
  };
  // Never rejects: the callback takes what went wrong.
  void settle();
}

/** One request on its way: to its reply, its upgrade, or its failure. */
class Sent {
  readonly settled: Promise<HttpReply | HttpUpgraded>;
  readonly #call: HttpCall;
  readonly #request: ClientRequest;
  readonly #place: string;
  readonly #closed: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  /** Why it was given up from here: Node tells a reader only that it was. */
  #why: Error | undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(call: HttpCall, options: RequestOptions) {
    this.#call = call;
    const host = String(options.host);
    this.#place = `${host.includes(':') ? `[${host}]` : host}:${String(options.port)}`;
    this.#request = (options.protocol === 'http:' ? nodeHttp().request : requestHttps)(options);
    this.#request.once('socket', limitOpening);
    this.settled = new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#request.once('response', (message: IncomingMessage) => {
        const headers = this.#headersOf(message);
        if (headers === undefined) return;
        tellTaken(call, message.socket);
        resolve(this.#replyOf(message, headers));
      });
      let hints = 0;
      this.#request.on('information', () => {
        if (++hints === HINTS_MAX + 1) {
          const why = 'too many 1xx informational responses';
          this.#giveUp(new HttpConnectError(call, { fault: 'malformed', why }));
        }
      });
      this.#request.once('upgrade', (message: IncomingMessage, socket: Socket, head: Uint8Array) => {
        this.#letGo();
        const headers = this.#headersOf(message);
        if (headers === undefined) {
          socket.destroy();
          return;
        }
        // A connection that was handed in is no socket.
        if ('setNoDelay' in socket) socket.setNoDelay(true);
        resolve({ status: 101, headers, stream: duplexOf(socket, head) });
      });
      this.#request.on('error', (error: NodeJS.ErrnoException) => {
        this.#letGo();
        const failure = this.#failureOf(error);
        if (failure instanceof HttpConnectError) tellRefused(call, failure);
        reject(failure);
      });
    });
    this.#closed = new Promise((resolve) => {
      this.#request.once('close', () => {
        this.#letGo();
        resolve();
      });
    });
    this.#limit();
    this.#sendBody();
  }

  get reused(): boolean {
    return this.#request.reusedSocket;
  }

  #limit(): void {
    const { timeoutMs, signal } = this.#call;
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => this.#giveUp(new HttpTimeoutError(this.#call)), timeoutMs);
    }
    if (signal === undefined) return;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.#giveUp(new AbortedError(this.#call.url, this.#call.signal?.reason));

  #giveUp(error: Error): void {
    this.#why ??= error;
    this.#reject(error);
    // A reply that ends in this very turn takes Node's own listener away before the socket says why it was destroyed.
    this.#request.socket?.on('error', ignore);
    this.#request.destroy(error);
  }

  /** The reply is through, or there will be none: nothing of the call waits any more. */
  #letGo(): void {
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
  }

  #sendBody(): void {
    const { body } = this.#call;
    if (body === undefined) this.#request.end();
    else if (body instanceof Uint8Array) this.#request.setHeader('content-length', body.length).end(body);
    else {
      const source = Readable.from(body, { objectMode: false });
      source.on('error', (error) => this.#giveUp(error));
      // The other side may answer, or go, before it has read all.
      this.#request.once('close', () => source.destroy());
      source.pipe(this.#request);
    }
  }

  /** Undefined: the call has failed by them. */
  #headersOf(message: IncomingMessage): IncomingHttpHeaders | undefined {
    const headers = readLaxHead(message);
    const why = 'net/http: HTTP/1.x transport connection broken: malformed MIME header line';
    if (headers === undefined) this.#giveUp(new HttpConnectError(this.#call, { fault: 'malformed', why }));
    return headers;
  }

  #replyOf(message: IncomingMessage, headers: IncomingHttpHeaders): HttpReply {
    const failed = (error: NodeJS.ErrnoException): Error =>
      this.#why ?? new HttpConnectError(this.#call, { fault: 'cut', why: 'unexpected EOF' }, error);
    // Whoever reads hears of it; a body that nobody reads yet must not end the process.
    message.on('error', ignore);
    return {
      status: message.statusCode ?? 0,
      headers,
      body: readBody(message, { failed, over: () => this.#over() }),
    };
  }

  /** The connection is free for the next call: who reads to the end and calls again finds it. */
  #over(): Promise<void> {
    return this.#request.writableFinished ? this.#closed : Promise.resolve();
  }

  #failureOf(error: NodeJS.ErrnoException & { readonly cert?: PeerCertificate; readonly hostname?: string }): Error {
    if (error instanceof AbortedError || error instanceof HttpTimeoutError) return error;
    const failure = {
      code: error.code ?? '',
      message: error.message,
      address: this.#place,
      host: error.hostname ?? nameOf(this.#call),
      names: error.cert?.subjectaltname,
      commonName: textOf(error.cert?.subject?.CN),
      weakSignature: weakSignatureOn(this.#request.socket),
    };
    return new HttpConnectError(this.#call, describeFailure(failure), error);
  }
}

function ignore(): void {}

/** A subject may have several. */
function textOf(name: string | readonly string[] | undefined): string {
  return typeof name === 'string' ? name : (name?.at(-1) ?? '');
}

interface BodyEnd {
  failed(error: NodeJS.ErrnoException): Error;
  over(): Promise<void>;
}

/** Read once; leaving early, even before the first piece, drops the connection. */
function readBody(message: IncomingMessage, end: BodyEnd): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = (message as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const piece = await pieces.next();
            if (piece.done === true) await end.over();
            return piece;
          } catch (error) {
            throw end.failed(error as NodeJS.ErrnoException);
          }
        },
        async return() {
          message.destroy();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
