import type { Server, ServerUnaryCall, ServerWritableStream, UntypedHandleCall, sendUnaryData } from '@grpc/grpc-js';
import { messageOf } from '@binnacle/base';
import { type Descriptor, STATUS, decodeMessage, encodeMessage, loadModules, methodIn, rootOf } from './channel.ts';
import { GrpcError, GrpcRefusal } from './errors.ts';

/** Sends messages until `signal` says that the caller has gone. */
type Streaming = (
  request: unknown,
  sink: { readonly send: (message: object) => void; readonly signal: AbortSignal },
) => void;

/** How one method is answered: plain objects in and out. What it throws is UNKNOWN to the caller, a GrpcRefusal what it says. */
export type Answering = { readonly unary: (request: unknown) => Promise<object> } | { readonly stream: Streaming };

/** What is served where. */
export interface ServeOptions {
  /** A unix socket's path; whatever lay there is the caller's to remove first. At most 107 bytes. */
  readonly path: string;
  readonly descriptors: readonly Descriptor[];
  /** By service and method: `{ 'csi.v1.Node': { NodeGetInfo: { unary } } }`. What is not here is UNIMPLEMENTED. */
  readonly services: { readonly [service: string]: { readonly [method: string]: Answering } };
}

/** A server that runs. Closing it ends its calls and removes its socket. */
export interface GrpcServer {
  close(): Promise<void>;
}

const PATH_BYTES_MAX = 107;

const OPTIONS = { 'grpc.max_receive_message_length': 4 << 20, 'grpc.max_send_message_length': -1 };

/** Serves methods on a unix socket from when it resolves. Throws GrpcError where nothing can listen there. */
export async function serveSocket(options: ServeOptions): Promise<GrpcServer> {
  const { path, descriptors, services } = options;
  // The kernel would cut the path, and somebody else would listen on what is left.
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new GrpcError(`the path of a socket is too long: ${path}`);
  const [{ default: grpc }, protobuf] = await loadModules();
  const root = rootOf(protobuf.default.Root, descriptors);
  const server: Server = new grpc.Server(OPTIONS);
  for (const [service, methods] of Object.entries(services)) {
    const definition = Object.entries(methods).map(([method, answering]) => {
      const known = methodIn(root, { service, method });
      const shape = {
        path: known.path,
        requestStream: false,
        responseStream: 'stream' in answering,
        requestSerialize: (message: object) => encodeMessage(known.request, message),
        requestDeserialize: (bytes: Buffer) => decodeMessage(known.request, bytes),
        responseSerialize: (message: object) => encodeMessage(known.response, message),
        responseDeserialize: (bytes: Buffer) => decodeMessage(known.response, bytes),
      };
      return [method, shape] as const;
    });
    const handlers = Object.entries(methods).map(([method, answering]) => [method, handlerOf(answering)] as const);
    server.addService(Object.fromEntries(definition), Object.fromEntries(handlers));
  }
  await listen(server, { path, credentials: grpc.ServerCredentials.createInsecure() });
  return {
    // Its socket's file goes with the listener.
    close: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

function listen(
  server: Server,
  of: { readonly path: string; readonly credentials: Parameters<Server['bindAsync']>[1] },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`unix://${of.path}`, of.credentials, (error) => {
      if (error === null) resolve();
      else reject(new GrpcError(`cannot listen on ${of.path}: ${error.message}`, error));
    });
  });
}

function handlerOf(answering: Answering): UntypedHandleCall {
  if ('unary' in answering) {
    const { unary } = answering;
    return ((call: ServerUnaryCall<unknown, object>, answer: sendUnaryData<object>): void => {
      unary(call.request).then(
        (response) => answer(null, response),
        (error: unknown) => answer(refusalOf(error)),
      );
    }) as UntypedHandleCall;
  }
  const { stream } = answering;
  return ((call: ServerWritableStream<unknown, object>): void => {
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    call.on('error', () => gone.abort());
    call.on('close', () => gone.abort());
    try {
      stream(call.request, { send: (message) => void call.write(message), signal: gone.signal });
    } catch (error) {
      call.emit('error', refusalOf(error));
    }
  }) as UntypedHandleCall;
}

function refusalOf(error: unknown): { readonly code: number; readonly details: string } {
  return { code: error instanceof GrpcRefusal ? error.status : STATUS.UNKNOWN, details: messageOf(error) };
}
