import type { Client, ClientReadableStream, Metadata, ServiceError } from '@grpc/grpc-js';
import type { INamespace, Root, Type } from 'protobufjs';
import { RuntimeError } from '../errors.ts';
import { CONTAINERD_EVENTS_DESCRIPTOR } from './containerd-events-descriptor.ts';

/** A method of a gRPC service by its full names, e.g. `runtime.v1.RuntimeService`, `Version`. */
export interface Method {
  readonly service: string;
  readonly method: string;
  readonly request: string;
  readonly response: string;
  /** Sent along, beside the request. */
  readonly metadata?: { readonly [name: string]: string };
}

/** What gRPC answered in place of a response. `status` is gRPC's number. */
export interface GrpcFailure {
  readonly status: number;
  readonly details: string;
  readonly error: Error;
}

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

// Messages may be long lists; grpc-js cuts at 4 MiB otherwise.
const OPTIONS = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.enable_http_proxy': 0,
};

const TO_OBJECT = { longs: Number, enums: String, defaults: true, oneofs: false } as const;

/** Loads gRPC and the messages ahead of the first connection, while something else is awaited. */
export async function loadChannelModules(): Promise<void> {
  await loadModules();
}

/** Loads gRPC and the messages on first use: a process without a runtime does not pay for them. */
export async function openChannel(endpoint: string): Promise<Channel> {
  // Of CommonJS a bundler offers the default export alone.
  const [{ default: grpc }, protobuf, cri] = await loadModules();
  const root = protobuf.default.Root.fromJSON(cri.default as INamespace).addJSON(CONTAINERD_EVENTS_DESCRIPTOR) as Root;
  const client = new grpc.Client(endpoint, grpc.credentials.createInsecure(), OPTIONS);
  return new GrpcChannel(client, root, grpc.Metadata);
}

async function loadModules() {
  return await Promise.all([
    import('@grpc/grpc-js'),
    import('protobufjs/light.js'),
    import('../generated/cri-v1-descriptor.json', { with: { type: 'json' } }),
  ]);
}

class GrpcChannel implements Channel {
  readonly #client: Client;
  readonly #root: Root;
  readonly #types = new Map<string, Type>();
  readonly #Metadata: typeof Metadata;

  constructor(client: Client, root: Root, metadata: typeof Metadata) {
    this.#client = client;
    this.#root = root;
    this.#Metadata = metadata;
  }

  unary(method: Method, request: object, timeoutMs: number): Promise<unknown> {
    const options = timeoutMs > 0 ? { deadline: Date.now() + timeoutMs } : {};
    return new Promise((resolve, reject) => {
      const answer = (error: ServiceError | null, response?: unknown): void => {
        if (error === null) resolve(response);
        else reject(error);
      };
      this.#client.makeUnaryRequest(
        pathOf(method),
        (message: object) => this.#encode(method.request, message),
        (bytes: Buffer) => this.decode(method.response, bytes),
        request,
        this.#metadata(method),
        options,
        answer,
      );
    });
  }

  stream(method: Method, request: object, sink: StreamSink): { cancel(): void } {
    const stream: ClientReadableStream<unknown> = this.#client.makeServerStreamRequest(
      pathOf(method),
      (message: object) => this.#encode(method.request, message),
      (bytes: Buffer) => this.decode(method.response, bytes),
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
    const known = this.#type(type);
    return known.toObject(known.decode(bytes), TO_OBJECT);
  }

  close(): void {
    this.#client.close();
  }

  #encode(type: string, message: object): Buffer {
    const known = this.#type(type);
    return Buffer.from(known.encode(known.fromObject(message as { [field: string]: unknown })).finish());
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

/** What gRPC says in an error that a channel gave; anything else counts as unknown (2). */
export function failureOf(thrown: unknown): GrpcFailure {
  const error = thrown instanceof Error ? thrown : new RuntimeError('the stream ended');
  const status = 'code' in error && typeof error.code === 'number' ? error.code : 2;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  return { status, details, error };
}

function pathOf(method: Method): string {
  return `/${method.service}/${method.method}`;
}
