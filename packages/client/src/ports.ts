import type { CallContext, Clock, Gate, Logger, QueueMeasures, Random, Scope, Trace } from '@binnacle/base';
import type {
  DeleteOptions,
  GroupVersionResource,
  KubeObject,
  PatchKind,
  WatchHandle,
  WatchSink,
  Wire,
} from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import type { ObjectReference } from '@binnacle/api/core/v1';

/** A list as the API answers it. */
export interface ObjectList<T> {
  readonly items: readonly T[];
  /** Where to start a watch from. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** The parameters of a list, as they travel. */
export interface ListQuery {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** The parameters of a watch; `sendInitialEvents` brings its resourceVersionMatch along. */
export interface WatchQuery {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** The parameters of a write. */
export interface WriteQuery {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Server-side apply only. */
  readonly force?: boolean;
}

/** What a writer gives: apiVersion and kind are filled in from the resource. */
export type Draft<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: NonNullable<KubeObject['metadata']>;
};

/**
 * One resource, in one namespace or (namespace absent) in all of them or cluster-scoped.
 * Every method throws StatusError for what the server refuses, TransportError for what never arrived.
 */
export interface ResourceClient<T extends KubeObject> {
  get(name: string, context?: CallContext): Promise<T>;
  list(query?: ListQuery, context?: CallContext): Promise<ObjectList<T>>;
  create(object: Draft<T>, query?: WriteQuery, context?: CallContext): Promise<T>;
  update(object: T, query?: WriteQuery, context?: CallContext): Promise<T>;
  updateStatus(object: T, query?: WriteQuery, context?: CallContext): Promise<T>;
  patch(
    name: string,
    kind: PatchKind,
    patch: unknown,
    options?: WriteQuery & { readonly subresource?: string },
    context?: CallContext,
  ): Promise<T>;
  delete(name: string, options?: Partial<DeleteOptions>, context?: CallContext): Promise<void>;
  deleteCollection(query?: ListQuery, options?: Partial<DeleteOptions>, context?: CallContext): Promise<void>;
  /** Any verb on a subresource that answers something else: `binding`, `token`, `eviction`, `scale`. */
  subresource<R>(
    verb: 'get' | 'create' | 'update',
    name: string,
    subresource: string,
    body?: unknown,
    context?: CallContext,
  ): Promise<R>;
  watch(query: WatchQuery, sink: WatchSink<T>, context?: CallContext): WatchHandle;
}

/** The client that every component is handed; it does not know which wire carries it. */
export interface Client {
  readonly wire: Wire;
  resource<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): ResourceClient<T>;
  /** For resources known only at run time. */
  dynamic(resource: GroupVersionResource, namespace?: string): ResourceClient<KubeObject>;
}

/** What client-side machinery needs of the world. */
export interface ClientWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Absent: nobody is told what is done and why. */
  readonly trace?: Trace;
  /** Absent: nobody is ever held. */
  readonly gate?: Gate;
  /** Absent: nobody keeps score of queues. */
  readonly queues?: QueueMeasures;
}

/** Hears of changes, also of those found by listing anew. Called synchronously; must not throw. */
export interface InformerHandler<T> {
  add?(object: T): void;
  update?(before: T, after: T): void;
  /** The last state that was seen. */
  remove?(object: T): void;
}

/** A cache of one resource, kept by list and watch through cut connections and expired versions. Objects are shared: read only. */
export interface Informer<T extends KubeObject> {
  /** Starts listing and watching; ends with the scope. */
  start(scope: Scope): void;
  readonly synced: boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined;
  list(): readonly T[];
  readonly size: number;
  /** The objects under a value of an index; AssertionError for an index that nobody declared. */
  byIndex(index: string, value: string): readonly T[];
  /** How many those are, at once. */
  countByIndex(index: string, value: string): number;
  /** The version up to which the cache has seen everything. */
  readonly resourceVersion: string;
  /** Replays what is in the cache as `add`, then follows. Returns how to stop. */
  subscribe(handler: InformerHandler<T>): () => void;
}

/** An informer that several readers share. */
export interface SharedInformer<T extends KubeObject> extends Informer<T> {
  /**
   * One more reader says what it needs. What is new must be said before the start, and a name means one index
   * (AssertionError otherwise); objects are projected only when all readers named the same projection.
   */
  declare(needs: InformerNeeds<T>): void;
}

/** What one reader of a cache needs. */
export interface InformerNeeds<T extends KubeObject> {
  /** Index name → the values under which an object is found. */
  readonly indexes?: { readonly [name: string]: (object: T) => readonly string[] };
  /** Keeps only what the reader needs of an object, its metadata always. Absent: the whole object. */
  readonly project?: (object: T) => T;
}

/** What part of a resource an informer keeps, and what its first reader needs. */
export interface InformerOptions<T extends KubeObject> extends InformerNeeds<T> {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Makes an informer; it does nothing until it is started. */
export type CreateInformer = <T extends KubeObject>(
  client: Client,
  ref: ResourceRef<T>,
  world: ClientWorld,
  options?: InformerOptions<T>,
) => SharedInformer<T>;

/** A de-duplicating queue of keys: a key that is being worked on is handed out again only after `done`. */
export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  /** Again after an exponential delay of its own (5 ms … 1000 s) and the queue's overall rate. */
  addRateLimited(key: string): void;
  /** Whether the key comes into the queue later by itself. */
  isDelayed(key: string): boolean;
  /** Ends the key's exponential delay. */
  forget(key: string): void;
  retries(key: string): number;
  /** The next key, or undefined once the queue is shut down. */
  next(): Promise<string | undefined>;
  done(key: string): void;
  readonly length: number;
  shutDown(): void;
}

/** Writes Events about objects: aggregates repeats, drops rather than blocks (law 10). */
export interface EventRecorder {
  event(
    about: ObjectReferenceLike,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    context?: CallContext,
  ): void;
}

/** Enough of an object to point at it. */
export type ObjectReferenceLike = KubeObject | ObjectReference;
