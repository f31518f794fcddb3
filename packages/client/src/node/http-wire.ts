import { AbortedError, HttpConnectError, messageOf, silentLogger, sleep } from '@binnacle/base';
import type { CallContext, Clock, HttpCaller, HttpTrust, Logger } from '@binnacle/base';
import { createHttpCaller, realClock } from '@binnacle/base/node';
import { callEach, readReplyText, replyFailure, status } from '@binnacle/machinery';
import type {
  ApiCall,
  CallSink,
  KubeObject,
  OpenCall,
  OpenedStream,
  RawCall,
  RawReply,
  WatchCall,
  WatchHandle,
  WatchSink,
  Wire,
} from '@binnacle/machinery';
import { isTransportError, TransportError } from '../errors.ts';
import { createLoggingWire } from '../logging-wire.ts';
import { contentTypeOf, methodOf, pathOf } from '../request-path.ts';
import { createBearer } from './bearer.ts';
import type { Bearer } from './bearer.ts';
import { CAUSE_HEADER, causeHeader } from './cause-header.ts';
import { FENCE_HEADER, fenceHeader } from './fence-header.ts';
import { connectFailure } from './endpoint.ts';
import type { EndpointOptions } from './endpoint.ts';
import type { Credential, CredentialSource } from './exec-credential.ts';
import { isHeaderText } from './exchange.ts';
import type { Exchange, ReplyHeaders, Transport } from './exchange.ts';
import { HttpTrace } from './http-trace.ts';
import { receive } from './receive.ts';
import { TransportPool } from './transport-pool.ts';
import { WatchReader } from './watch-reader.ts';

/** How to reach and convince one API server. */
export interface HttpWireOptions extends EndpointOptions {
  readonly token?: string;
  /** Read again every minute; wins over `token`. */
  readonly tokenFile?: string;
  /** Asked before every request; keeps its own cache. Wins over both. */
  readonly tokenSource?: Bearer;
  /** A program that knows who this is. Wins over all three, and over `cert` where it gives one. */
  readonly credentials?: CredentialSource;
  /** Headers by which this is somebody else (`impersonate-user`, …). */
  readonly impersonate?: { readonly [name: string]: string | readonly string[] };
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** Told what goes over the wire: see `createLoggingWire`; 6 each answer with its time, 9 headers. Default: nobody. */
  readonly log?: Logger;
}

/** A server that says when to come back is asked again this often. */
const RETRY_AFTER_MAX = 10;

/** The wire over TLS. Opens its connection on first use; `close` ends everything that runs on it. */
export function createHttpWire(options: HttpWireOptions): Wire {
  const { server, log = silentLogger, clock = realClock } = options;
  return createLoggingWire(new HttpWire(options), { log, clock, server: server.replace(/\/$/, '') });
}

interface Overload {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly retryAfterSeconds: number | undefined;
}

interface Reply extends Overload {
  readonly text: string;
}

class HttpWire implements Wire {
  #transport: Transport;
  readonly #options: HttpWireOptions;
  readonly #bearer: Bearer;
  readonly #clock: Clock;
  readonly #userAgent: string;
  #endpoint: EndpointOptions;
  #given: Credential | undefined;
  readonly #trace: HttpTrace;
  /** Upgrades need connections of their own. */
  #caller: HttpCaller | undefined;

  constructor(options: HttpWireOptions) {
    this.#clock = options.clock ?? realClock;
    this.#options = options;
    this.#endpoint = options;
    this.#trace = new HttpTrace({ ...options, log: options.log ?? silentLogger, clock: this.#clock });
    this.#transport = new TransportPool(options);
    this.#bearer = createBearer(options, this.#clock);
    this.#userAgent = options.userAgent ?? 'binnacle';
  }

  async call(call: ApiCall): Promise<unknown> {
    const exchange = {
      method: methodOf(call.verb),
      path: pathOf(call),
      headers: {
        accept: 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': contentTypeOf(call) }),
      },
      body: call.body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(call.body)),
    };
    return parseReply(await this.#send(exchange, call), exchange.path);
  }

  /** Streams of one connection, if the server speaks HTTP/2: there is nothing to spare. */
  batch(calls: readonly ApiCall[], settled: CallSink): Promise<void> {
    return callEach((call) => this.call(call), calls, settled);
  }

  async raw(call: RawCall): Promise<RawReply> {
    const { method = 'GET', path, headers = {}, body } = call;
    const exchange = { method, path, headers, body };
    return this.#repeating(exchange, call, async (ready) => {
      const reply = await receive(this.#transport, ready, call.signal);
      const retryAfterSeconds = retryAfter(reply.headers);
      const comesAgain = mayRetry({ ...reply, retryAfterSeconds }) && !isStreamed(exchange);
      // Nobody reads the body of a reply that is asked for again.
      if (comesAgain) await reply.body[Symbol.asyncIterator]().return?.();
      return { ...reply, retryAfterSeconds: comesAgain ? retryAfterSeconds : undefined };
    });
  }

  async open(call: OpenCall): Promise<OpenedStream> {
    const own = { ...call.headers, upgrade: call.protocol };
    this.#caller ??= createHttpCaller();
    const { headers, given } = await this.#prepare(own, call);
    const { server, ca, cert, key, tlsServerName, insecureSkipTlsVerify, proxyUrl } = this.#endpoint;
    const trust: HttpTrust = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { certificate: cert }),
      ...(key === undefined ? {} : { key }),
      ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
      ...(insecureSkipTlsVerify === undefined ? {} : { insecure: insecureSkipTlsVerify }),
    };
    const url = `${server.replace(/\/$/, '')}${call.path}`;
    const { signal } = call;
    const reply = await this.#caller
      .upgrade({
        method: call.method ?? 'POST',
        url,
        headers,
        trust,
        ...(signal === undefined ? {} : { signal }),
        ...(proxyUrl === undefined ? {} : { proxy: proxyUrl }),
      })
      .catch((error: unknown) => {
        throw error instanceof HttpConnectError ? connectFailure(server, error) : error;
      });
    this.#answered(reply.status, given);
    if ('stream' in reply) {
      return { protocol: String(reply.headers['upgrade'] ?? ''), headers: reply.headers, stream: reply.stream };
    }
    const text = await readReplyText(reply);
    if (reply.status < 400) throw status.badRequest(`${call.path}: the server does not change to ${call.protocol}`);
    throw replyFailure({ status: reply.status, text }, call.path);
  }

  watch<T extends KubeObject>(call: WatchCall, sink: WatchSink<T>): WatchHandle {
    const query = { ...call.query, watch: 'true' };
    const reader = new WatchReader<T>(sink);
    const start = async (): Promise<void> => {
      const { headers, given } = await this.#prepare({ accept: 'application/json' }, call);
      const exchange = { method: 'GET', path: pathOf({ ...call, query }), headers, body: undefined };
      this.#trace.request(exchange);
      reader.start(this.#transport, exchange, (code) => this.#answered(code, given));
    };
    start().catch((error: unknown) => reader.fail(error as Error));
    const stop = (): void => reader.stop();
    call.signal?.addEventListener('abort', stop, { once: true });
    if (call.signal?.aborted === true) stop();
    return { stop };
  }

  async close(): Promise<void> {
    await Promise.all([this.#transport.close(), this.#caller?.close()]);
  }

  #send(exchange: Exchange, context: CallContext): Promise<Reply> {
    return this.#repeating(exchange, context, (ready) => this.#once(ready, context.signal));
  }

  /** One answer; comes back later when the server asks for that, and once more when the stream was refused unread. */
  async #repeating<T extends Overload>(
    exchange: Exchange,
    context: CallContext,
    once: (ready: Exchange) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { headers, given } = await this.#prepare(exchange.headers, context);
      let reply: T;
      const ready = { ...exchange, headers };
      const answered = this.#trace.request(ready);
      try {
        reply = await once(ready);
        answered(reply.status, reply.headers);
        this.#answered(reply.status, given);
      } catch (error) {
        if (tries <= 3 && isSafeToRepeat(exchange, error)) continue;
        throw error;
      }
      const { retryAfterSeconds } = reply;
      if (retryAfterSeconds === undefined || !mayRetry(reply) || tries > RETRY_AFTER_MAX) return reply;
      await sleep(this.#clock, retryAfterSeconds * 1000, context.signal);
    }
  }

  #once(exchange: Exchange, signal: AbortSignal | undefined): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new AbortedError(exchange.path, signal.reason));
        return;
      }
      const chunks: Uint8Array[] = [];
      let code = 0;
      let headers: ReplyHeaders = {};
      const running = this.#transport.send(exchange, {
        head: (status, received) => {
          code = status;
          headers = received;
        },
        data: (chunk) => chunks.push(chunk),
        end: () => {
          signal?.removeEventListener('abort', onAbort);
          const text = new TextDecoder().decode(Buffer.concat(chunks));
          resolve({ status: code, headers, retryAfterSeconds: retryAfter(headers), text });
        },
        fail: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      });
      const onAbort = (): void => {
        running.cancel();
        reject(new AbortedError(exchange.path, signal?.reason));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** A new certificate takes a new connection; what runs on the old one is cut, as by any server that goes. */
  #take(given: Credential): void {
    if (given === this.#given) return;
    this.#given = given;
    const { cert = this.#options.cert, key = this.#options.key } = given;
    if (cert === this.#endpoint.cert) return;
    this.#endpoint = {
      ...this.#options,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    };
    const before = this.#transport;
    this.#transport = new TransportPool(this.#endpoint);
    // Nothing is lost: nobody sends on the old connection any more, however it ends.
    before.close().catch(() => undefined);
  }

  /** Who is not known by the credential that he was sent with has a new one the next time. */
  #answered(code: number, given: Credential | undefined): void {
    if (code === 401 && given !== undefined) this.#options.credentials?.refused(given);
  }

  async #prepare(
    own: Exchange['headers'],
    { cause, fence }: CallContext,
  ): Promise<{ readonly headers: Exchange['headers']; readonly given: Credential | undefined }> {
    const given = await this.#options.credentials?.current();
    if (given !== undefined) this.#take(given);
    const token = given?.token ?? (await this.#bearer());
    if (token !== undefined && !isHeaderText(token)) {
      throw new TransportError('kubeconfig', 'the token is not what a header can say');
    }
    const headers = {
      ...own,
      ...this.#options.impersonate,
      'user-agent': this.#userAgent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cause === undefined ? {} : { [CAUSE_HEADER]: causeHeader(cause) }),
      ...(fence === undefined ? {} : { [FENCE_HEADER]: fenceHeader(fence) }),
    };
    return { headers, given };
  }
}

function retryAfter(headers: ReplyHeaders): number | undefined {
  const value = headers['retry-after'];
  const seconds = Number(value);
  return value === undefined || !Number.isFinite(seconds) ? undefined : seconds;
}

/** The server says that it has too much to do, and when to come back. */
function mayRetry({ status: code, retryAfterSeconds }: Overload): boolean {
  return retryAfterSeconds !== undefined && (code === 429 || code >= 500);
}

/** A body that can be sent only once. */
function isStreamed({ body }: Exchange): boolean {
  return body !== undefined && !(body instanceof Uint8Array);
}

/** Reading twice does no harm, and a refused stream was never looked at. Only a broken connection is worth it. */
function isSafeToRepeat(exchange: Exchange, error: unknown): boolean {
  if (!isTransportError(error) || error.fault !== 'cut' || isStreamed(exchange)) return false;
  return exchange.method === 'GET' || error.facts['refused'] === true;
}

function parseReply(reply: Reply, path: string): unknown {
  if (reply.status >= 400) throw replyFailure(reply, path);
  return parseJson(reply.text, path);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TransportError('protocol', `${path}: the answer is no JSON: ${messageOf(cause)}`, { cause });
  }
}
