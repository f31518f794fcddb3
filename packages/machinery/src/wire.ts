import type { CallContext, Duplex } from '@binnacle/base';
import type { GroupVersionResource, KubeObject } from './object.ts';

/**
 * Speech: what a client says to an API server, before it is bytes. A client speaks it over one of two
 * wires: HTTP, or in-process straight into the API server's request pipeline (law 1).
 */

export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
/** The four media types of a patch, by their short names. */
export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

/** One call about a resource. */
export interface ApiCall extends CallContext {
  readonly verb: Verb;
  readonly resource: GroupVersionResource;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** The query parameters as they travel: `labelSelector`, `limit`, `dryRun`, `fieldValidation`, … */
  readonly query?: { readonly [name: string]: string };
  /** The object, the patch document, or the DeleteOptions. The receiver rebuilds it and keeps no handle on it. */
  readonly body?: unknown;
  readonly patch?: PatchKind;
}

/** A watch: `resource`, `namespace`, `name` and `query` as in a list. */
export interface WatchCall extends CallContext {
  readonly resource: GroupVersionResource;
  readonly namespace?: string;
  readonly query?: { readonly [name: string]: string };
}

/** A BOOKMARK carries only a resourceVersion. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/** One change, with the object after it (before it, for DELETED). */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: WatchEventType;
  readonly object: T;
  /** `namespace/name`, from a sender that has it in one piece: whoever keeps objects by it need not make it. */
  readonly key?: string;
}

/** Takes what a watch brings. Called from the wire's turn of the event loop; must not throw and must not wait. */
export interface WatchSink<T extends KubeObject = KubeObject> {
  /** What came in one turn, in order. */
  events(batch: readonly WatchEvent<T>[]): void;
  /**
   * The watch is over, exactly once: without an error when the server ended it (time-out, shutdown) or `stop`
   * was called, with a StatusError (410 and the like) or a transport error otherwise.
   */
  end(error?: Error): void;
}

/** A watch that is under way; `stop` ends it and may be called again. */
export interface WatchHandle {
  stop(): void;
}

/** A request beside the verbs: `/version`, `/healthz`, a pod's log, what is behind a proxy. */
export interface RawCall extends CallContext {
  /** Default GET. */
  readonly method?: string;
  /** Encoded, with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
}

/** What came back, a refusal as well as an answer. The body is read once; leaving it early ends the exchange. */
export interface RawReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Throws when it breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Asks for another protocol on the same connection: exec, attach, port-forward, a proxied upgrade. */
export interface OpenCall extends CallContext {
  /** Default POST, which is what clients of SPDY send; a WebSocket is a GET. */
  readonly method?: string;
  readonly path: string;
  /** For the `upgrade` header: `SPDY/3.1`, `websocket`. */
  readonly protocol: string;
  readonly headers?: { readonly [name: string]: string };
}

/** The server has changed to `protocol`: what goes over the stream from now on is its business. */
export interface OpenedStream {
  readonly protocol: string;
  readonly headers: RawReply['headers'];
  readonly stream: Duplex;
}

/** What became of one of several calls: what `call` would have answered, or thrown. */
export type CallOutcome = PromiseSettledResult<unknown>;

/** Told of each of several calls once, by its place among them, as soon as it is known; must not throw and must not wait. */
export type CallSink = (at: number, outcome: CallOutcome) => void;

/** The port that both wires fill. */
export interface Wire {
  /** Answers with the object, list or Status of the reply; throws StatusError for a failure Status. */
  call(call: ApiCall): Promise<unknown>;
  /**
   * Several calls that go together, begun in their order. Each is a request of its own, and what becomes of one is nothing to
   * the others; a wire spares itself what it would do again for each. Resolves when all are told, and never rejects.
   */
  batch(calls: readonly ApiCall[], settled: CallSink): Promise<void>;
  watch<T extends KubeObject>(call: WatchCall, sink: WatchSink<T>): WatchHandle;
  /** Answers with every reply, refusals too; throws only when none came. See `readText`. */
  raw(call: RawCall): Promise<RawReply>;
  /** Throws StatusError for a refusal. */
  open(call: OpenCall): Promise<OpenedStream>;
  close(): Promise<void>;
}

/** Who asks, as authentication found it. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}
