import type { Client, ClientReadableStream, Metadata, ServiceError } from '@grpc/grpc-js';
import type { INamespace, Root, Type } from 'protobufjs';
import { GrpcError } from './errors.ts';

/** gRPC's status numbers that callers tell apart. */
export const STATUS = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** Services and messages as protobufjs reads them; opaque. */
export type Descriptor = object;

/** A method of a gRPC service by its full names, e.g. `runtime.v1.RuntimeService`, `Version`; the descriptor knows its messages. */
export interface Method {
  readonly service: string;
  readonly method: string;
  /** Sent along, beside the request. */
  readonly metadata?: { readonly [name: string]: string };
}

/** How large messages may be, in bytes; absent: without a limit. */
export interface ChannelLimits {
  readonly answerBytesMax?: number;
}

/** What gRPC answered in place of a response. `status` is gRPC's number. */
export interface GrpcFailure {
  readonly status: number;
  readonly details: string;
  readonly error: Error;
}

/** Where the messages of a stream go. */
export interface StreamSink {
  message(message: unknown): void;
  /** Once: the stream is over. */
  end(failure: GrpcFailure): void;
}

/** One connection to a gRPC server on a unix socket. */
export interface Channel {
  /**
   * Plain objects in and out: fields in snake_case, enums by name, 64-bit numbers as numbers, absent fields filled.
   * `timeoutMs` 0: no deadline. Rejects with a GrpcFailure's `error`, see `failureOf`.
   */
  unary(method: Method, request: object, timeoutMs: number): Promise<unknown>;
  stream(method: Method, request: object, sink: StreamSink): { cancel(): void };
  /** Decodes a message that travels inside another one. */
  decode(type: string, bytes: Uint8Array): unknown;
  close(): void;
}

const OPTIONS = {
  'grpc.max_send_message_length': -1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.enable_http_proxy': 0,
};

/** Three centuries: what is further than its header can say grpc-js neither calls nor refuses. */
const TIMEOUT_MS_MAX = 1e13;

const TO_OBJECT = { longs: Number, enums: String, defaults: true, oneofs: false } as const;

/** Loads gRPC and the messages ahead of the first connection, while something else is awaited. */
export async function loadChannelModules(): Promise<void> {
  await loadModules();
}

/**
 * A connection to `endpoint` (`unix:///run/x.sock`), made with the first call and again after an outage. Loads gRPC on first
 * use: a process that never speaks it does not pay for it. `load` brings the descriptors of the services that will be called.
 */
export async function openChannel(
  endpoint: string,
  load: () => Promise<readonly Descriptor[]>,
  { answerBytesMax = -1 }: ChannelLimits = {},
): Promise<Channel> {
  // Of CommonJS a bundler offers the default export alone.
  const [[{ default: grpc }, protobuf], descriptors] = await Promise.all([loadModules(), load()]);
  const root = rootOf(protobuf.default.Root, descriptors);
  // Messages may be long lists; grpc-js cuts at 4 MiB otherwise.
  const options = { ...OPTIONS, 'grpc.max_receive_message_length': answerBytesMax };
  const client = new grpc.Client(endpoint, grpc.credentials.createInsecure(), options);
  return new GrpcChannel(client, root, grpc.Metadata);
}

/** What several descriptors say, put together. */
export function rootOf(roots: typeof Root, [first = {}, ...others]: readonly Descriptor[]): Root {
  const root = roots.fromJSON(first as INamespace);
  for (const other of others) root.addJSON((other as INamespace).nested ?? {});
  return root;
}

/** gRPC and protobufjs, loaded once. */
export async function loadModules() {
  return await Promise.all([import('@grpc/grpc-js'), import('protobufjs/light.js')]);
}

/** A method with its messages. */
interface KnownMethod {
  readonly path: string;
  readonly request: Type;
  readonly response: Type;
}

/** Finds a method in what is described. Throws protobufjs' error where there is none: our own bug. */
export function methodIn(root: Root, { service, method }: Pick<Method, 'service' | 'method'>): KnownMethod {
  const known = root.lookupService(service);
  const found = known.methods[method];
  if (found === undefined) throw new GrpcError(`${service} has no method ${method}`);
  return {
    path: `/${service}/${method}`,
    request: known.lookupType(found.requestType),
    response: known.lookupType(found.responseType),
  };
}

/** A message as a plain object. */
export function decodeMessage(type: Type, bytes: Uint8Array): unknown {
  return type.toObject(type.decode(bytes), TO_OBJECT);
}

/** A plain object as a message; fields that it has not are absent. */
export function encodeMessage(type: Type, message: object): Buffer {
  return Buffer.from(type.encode(type.fromObject(message as { [field: string]: unknown })).finish());
}

class GrpcChannel implements Channel {
  readonly #client: Client;
  readonly #root: Root;
  readonly #types = new Map<string, Type>();
  readonly #methods = new Map<string, KnownMethod>();
  readonly #Metadata: typeof Metadata;

  constructor(client: Client, root: Root, metadata: typeof Metadata) {
    this.#client = client;
    this.#root = root;
    this.#Metadata = metadata;
  }

  unary(method: Method, request: object, timeoutMs: number): Promise<unknown> {
    const options = timeoutMs > 0 ? { deadline: Date.now() + Math.min(timeoutMs, TIMEOUT_MS_MAX) } : {};
    const known = this.#method(method);
    return new Promise((resolve, reject) => {
      const answer = (error: ServiceError | null, response?: unknown): void => {
        if (error === null) resolve(response);
        else reject(error);
      };
      this.#client.makeUnaryRequest(
        known.path,
        (message: object) => encodeMessage(known.request, message),
        (bytes: Buffer) => decodeMessage(known.response, bytes),
        request,
        this.#metadata(method),
        options,
        answer,
      );
    });
  }

  stream(method: Method, request: object, sink: StreamSink): { cancel(): void } {
    const known = this.#method(method);
    const stream: ClientReadableStream<unknown> = this.#client.makeServerStreamRequest(
      known.path,
      (message: object) => encodeMessage(known.request, message),
      (bytes: Buffer) => decodeMessage(known.response, bytes),
      request,
    );
    let over = false;
    const end = (failure: GrpcFailure): void => {
      if (over) return;
      over = true;
      sink.end(failure);
    };
    stream.on('data', (message: unknown) => sink.message(message));
    stream.on('error', (error: unknown) => end(failureOf(error)));
    stream.on('end', () => end(failureOf(undefined)));
    return {
      cancel(): void {
        over = true;
        stream.cancel();
      },
    };
  }

  decode(type: string, bytes: Uint8Array): unknown {
    return decodeMessage(this.#type(type), bytes);
  }

  close(): void {
    this.#client.close();
  }

  #method(method: Method): KnownMethod {
    const key = `${method.service}/${method.method}`;
    let known = this.#methods.get(key);
    if (known === undefined) {
      known = methodIn(this.#root, method);
      this.#methods.set(key, known);
    }
    return known;
  }

  #metadata({ metadata = {} }: Method): Metadata {
    const made = new this.#Metadata();
    for (const [name, value] of Object.entries(metadata)) made.set(name, value);
    return made;
  }

  #type(name: string): Type {
    let type = this.#types.get(name);
    if (type === undefined) {
      type = this.#root.lookupType(name);
      this.#types.set(name, type);
    }
    return type;
  }
}

/** What is said of a failure goes into statuses and events, one for each container: no server may fill them. */
const DETAILS_MAX = 8_192;

/** What gRPC says in an error that a channel gave, as far as anybody reads it; anything else counts as unknown (2). */
export function failureOf(thrown: unknown): GrpcFailure {
  const error = thrown instanceof Error ? thrown : new GrpcError('the stream ended');
  const status = 'code' in error && typeof error.code === 'number' ? error.code : 2;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  return { status, details: details.length > DETAILS_MAX ? `${details.slice(0, DETAILS_MAX)}…` : details, error };
}
