import { AbortedError, messageOf, sleep } from '@binnacle/base';
import type { CallContext, Cause, Clock } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { ApiCall, KubeObject, WatchCall, WatchHandle, WatchSink, Wire } from '@binnacle/machinery';
import { isTransportError, TransportError } from '../errors.ts';
import { contentTypeOf, methodOf, pathOf } from '../request-path.ts';
import { createBearer } from './bearer.ts';
import type { Bearer } from './bearer.ts';
import type { EndpointOptions } from './endpoint.ts';
import type { Exchange, Transport } from './exchange.ts';
import { statusFailure } from './status-failure.ts';
import { TransportPool } from './transport-pool.ts';
import { WatchReader } from './watch-reader.ts';

/** How to reach and convince one API server. */
export interface HttpWireOptions extends EndpointOptions {
  readonly token?: string;
  /** Read again every minute; wins over `token`. */
  readonly tokenFile?: string;
  /** Asked before every request; keeps its own cache. Wins over both. */
  readonly tokenSource?: Bearer;
  readonly userAgent?: string;
  readonly clock?: Clock;
}

/** The header that carries a call's cause (law 11): `id;component;revision`. */
const CAUSE_HEADER = 'binnacle-cause';
/** A server that says when to come back is asked again this often. */
const RETRY_AFTER_MAX = 10;

/** The wire over TLS. Opens its connection on first use; `close` ends everything that runs on it. */
export function createHttpWire(options: HttpWireOptions): Wire {
  return new HttpWire(options);
}

interface Reply {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly text: string;
}

class HttpWire implements Wire {
  readonly #transport: Transport;
  readonly #bearer: Bearer;
  readonly #clock: Clock;
  readonly #userAgent: string;

  constructor(options: HttpWireOptions) {
    this.#clock = options.clock ?? realClock;
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

  async raw(path: string, context: CallContext = {}): Promise<string> {
    const exchange = { method: 'GET', path, headers: { accept: 'application/json, */*' }, body: undefined };
    const reply = await this.#send(exchange, context);
    if (reply.status >= 400) throw statusFailure(reply, path);
    return reply.text;
  }

  watch<T extends KubeObject>(call: WatchCall, sink: WatchSink<T>): WatchHandle {
    const query = { ...call.query, watch: 'true' };
    const reader = new WatchReader<T>(sink);
    const start = async (): Promise<void> => {
      const headers = await this.#headers({ accept: 'application/json' }, call.cause);
      reader.start(this.#transport, { method: 'GET', path: pathOf({ ...call, query }), headers, body: undefined });
    };
    start().catch((error: unknown) => reader.fail(error as Error));
    const stop = (): void => reader.stop();
    call.signal?.addEventListener('abort', stop, { once: true });
    if (call.signal?.aborted === true) stop();
    return { stop };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** One answer; comes back later when the server asks for that, and once more when the stream was refused unread. */
  async #send(exchange: Exchange, context: CallContext): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const headers = await this.#headers(exchange.headers, context.cause);
      let reply: Reply;
      try {
        reply = await this.#once({ ...exchange, headers }, context.signal);
      } catch (error) {
        if (tries <= 3 && isSafeToRepeat(exchange, error)) continue;
        throw error;
      }
      const overloaded = reply.status === 429 || reply.status >= 500;
      if (!overloaded || reply.retryAfterSeconds === undefined || tries > RETRY_AFTER_MAX) return reply;
      await sleep(this.#clock, reply.retryAfterSeconds * 1000, context.signal);
    }
  }

  #once(exchange: Exchange, signal: AbortSignal | undefined): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new AbortedError(exchange.path, signal.reason));
        return;
      }
      const chunks: Uint8Array[] = [];
      let status = 0;
      let retryAfterSeconds: number | undefined;
      const running = this.#transport.send(exchange, {
        head: (code, header) => {
          status = code;
          const retryAfter = Number(header('retry-after'));
          if (header('retry-after') !== undefined && Number.isFinite(retryAfter)) retryAfterSeconds = retryAfter;
        },
        data: (chunk) => chunks.push(chunk),
        end: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve({ status, retryAfterSeconds, text: new TextDecoder().decode(Buffer.concat(chunks)) });
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

  async #headers(
    own: { readonly [name: string]: string },
    cause: Cause | undefined,
  ): Promise<{ readonly [name: string]: string }> {
    const token = await this.#bearer();
    return {
      ...own,
      'user-agent': this.#userAgent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cause === undefined ? {} : { [CAUSE_HEADER]: `${cause.id};${cause.component};${cause.revision ?? ''}` }),
    };
  }
}

/** Reading twice does no harm, and a refused stream was never looked at. Only a broken connection is worth it. */
function isSafeToRepeat(exchange: Exchange, error: unknown): boolean {
  if (!isTransportError(error) || error.fault !== 'cut') return false;
  return exchange.method === 'GET' || error.facts['refused'] === true;
}

function parseReply(reply: Reply, path: string): unknown {
  if (reply.status >= 400) throw statusFailure(reply, path);
  return parseJson(reply.text, path);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TransportError('protocol', `${path}: the answer is no JSON: ${messageOf(cause)}`, { cause });
  }
}
