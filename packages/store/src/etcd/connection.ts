import type { ChannelCredentials, Client, ClientDuplexStream, ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import type * as GrpcModule from '@grpc/grpc-js';
import type { Clock, Logger } from '@binnacle/base';
import { sleep } from '@binnacle/base';
import { StoreClosedError, StoreUnavailableError } from '../errors.ts';
import { withinSignal } from '../mvcc/call-limits.ts';
import { isSurelyNotSent, isTimeout, isUnavailable, toStoreError } from './failures.ts';
import type { Method } from './wire.ts';

/** PEM texts. */
export interface EtcdTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must carry, when it is not the endpoint's. */
  readonly serverName?: string;
}

export interface ConnectionOptions {
  /** `http://host:port`, `https://host:port` or `host:port`. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  readonly clock: Clock;
  readonly log: Logger;
  readonly callMsMax: number;
  readonly retryMsMax: number;
}

/** How a call is made. */
export interface CallWay {
  /** May be done twice. */
  readonly reads: boolean;
  /** In all, further tries included. Absent: as the connection's options say. */
  readonly msMax?: number;
  /** Gives up with StoreTimeoutError when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** The module, loaded by whoever connects. */
export type Grpc = Pick<typeof GrpcModule, 'Client' | 'Metadata' | 'credentials'>;

const BACKOFF_MS = 50;
const BACKOFF_MS_MAX = 1000;

/**
 * One channel to one endpoint at a time; moves on to the next endpoint when that one cannot be reached. Reads are
 * tried again until `retryMsMax` is over, writes only where they surely were not sent.
 */
export class Connection {
  readonly #grpc: Grpc;
  readonly #options: ConnectionOptions;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #abort = new AbortController();
  #client: Client;
  #endpoint = 0;

  constructor(grpc: Grpc, options: ConnectionOptions) {
    this.#grpc = grpc;
    this.#options = options;
    this.#client = this.#connect();
  }

  get closed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Calls and waits for the answer. */
  call<Answer>(method: Method<Answer>, request: object, way: CallWay): Promise<Answer> {
    if (this.closed) return Promise.reject(new StoreClosedError());
    const options = way.signal === undefined ? undefined : { signal: way.signal };
    const call = withinSignal(() => this.#callWithRetries(method, request, way), options, !way.reads);
    this.#underWay.add(call);
    return call.finally(() => this.#underWay.delete(call));
  }

  /** Lives until it is cancelled. */
  duplex<Answer>(method: Method<Answer>): ClientDuplexStream<object, Answer> {
    return this.#client.makeBidiStreamRequest<object, Answer>(method.path, method.encode, method.decode);
  }

  /** Writes one message into a stream, and answers with the first one that comes back and is `wanted`. */
  ask<Answer>(
    method: Method<Answer>,
    request: object,
    wanted: (answer: Answer) => boolean = () => true,
  ): Promise<Answer | undefined> {
    if (this.closed) return Promise.reject(new StoreClosedError());
    const stream = this.#client.makeBidiStreamRequest<object, Answer>(
      method.path,
      method.encode,
      method.decode,
      new this.#grpc.Metadata(),
      { deadline: this.#deadline(this.#options.callMsMax) },
    );
    const answered = new Promise<Answer | undefined>((resolve, reject) => {
      stream.on('data', (answer: Answer) => {
        if (!wanted(answer)) return;
        resolve(answer);
        stream.cancel();
      });
      stream.on('error', reject);
      stream.on('end', () => resolve(undefined));
      stream.write(request);
    });
    this.#underWay.add(answered);
    return answered.finally(() => this.#underWay.delete(answered));
  }

  stream<Answer>(method: Method<Answer>, request: object): ClientReadableStream<Answer> {
    return this.#client.makeServerStreamRequest<object, Answer>(method.path, method.encode, method.decode, request);
  }

  /** After a stream broke: waits a little, and goes to the next endpoint. Rejects when the store is closed. */
  async recover(attempt: number): Promise<void> {
    this.#moveOn();
    await sleep(
      this.#options.clock,
      Math.min(BACKOFF_MS * 2 ** Math.min(attempt, 10), BACKOFF_MS_MAX),
      this.#abort.signal,
    );
  }

  /** Refuses new calls at once, waits for those under way. */
  async close(): Promise<void> {
    this.#abort.abort(new StoreClosedError());
    await Promise.allSettled(this.#underWay);
    this.#client.close();
  }

  async #callWithRetries<Answer>(method: Method<Answer>, request: object, way: CallWay): Promise<Answer> {
    const { clock, callMsMax, retryMsMax } = this.#options;
    const end = clock.monotonic() + (way.msMax ?? retryMsMax);
    for (let attempt = 0; ; attempt++) {
      const left = way.msMax === undefined ? callMsMax : Math.max(1, end - clock.monotonic());
      try {
        return await this.#callOnce(method, request, { msMax: Math.min(callMsMax, left), signal: way.signal });
      } catch (error) {
        const failure = error as ServiceError;
        const mayRetry = isUnavailable(failure) && (way.reads || isSurelyNotSent(failure));
        const isOver = this.closed || way.signal?.aborted === true || clock.monotonic() >= end;
        // One that does not answer is not asked next time.
        if (isTimeout(failure)) this.#moveOn();
        if (!mayRetry || isOver) throw toStoreError(failure, { reads: way.reads });
        this.#options.log.info(4, 'etcd call is tried again', { path: method.path, why: failure.details });
        await this.recover(attempt);
      }
    }
  }

  #callOnce<Answer>(
    method: Method<Answer>,
    request: object,
    limits: { readonly msMax: number; readonly signal: AbortSignal | undefined },
  ): Promise<Answer> {
    const { signal } = limits;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => call.cancel();
      const call = this.#client.makeUnaryRequest<object, Answer>(
        method.path,
        method.encode,
        method.decode,
        request,
        new this.#grpc.Metadata(),
        { deadline: this.#deadline(limits.msMax) },
        (error, answer) => {
          signal?.removeEventListener('abort', onAbort);
          if (error !== null) reject(error);
          else if (answer === undefined) reject(new StoreUnavailableError('etcd gave no answer'));
          else resolve(answer);
        },
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #deadline(msMax: number): Date {
    return new Date(Date.now() + msMax);
  }

  #moveOn(): void {
    if (this.#options.endpoints.length < 2 || this.closed) return;
    this.#endpoint = (this.#endpoint + 1) % this.#options.endpoints.length;
    this.#client.close();
    this.#client = this.#connect();
  }

  #connect(): Client {
    const endpoint = this.#options.endpoints[this.#endpoint] ?? '';
    const { serverName } = this.#options.tls ?? {};
    return new this.#grpc.Client(endpoint.replace(/^https?:\/\//, '').replace(/\/$/, ''), this.#credentials(endpoint), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.initial_reconnect_backoff_ms': BACKOFF_MS,
      'grpc.min_reconnect_backoff_ms': BACKOFF_MS,
      'grpc.max_reconnect_backoff_ms': BACKOFF_MS_MAX,
      // A channel of its own: closing this store must not touch another one's.
      'grpc.use_local_subchannel_pool': 1,
      ...(serverName === undefined
        ? {}
        : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName }),
    });
  }

  #credentials(endpoint: string): ChannelCredentials {
    const { tls } = this.#options;
    const { credentials } = this.#grpc;
    if (tls === undefined && !endpoint.startsWith('https:')) return credentials.createInsecure();
    const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
    return credentials.createSsl(pem(tls?.ca), pem(tls?.key), pem(tls?.cert));
  }
}
