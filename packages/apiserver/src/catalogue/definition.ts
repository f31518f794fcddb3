import type { KindRules, KindToValidate, ResourceInfo } from '@binnacle/api';
import type { Cause, Duplex, Fence } from '@binnacle/base';
import type { FieldError, KubeObject, SchemaRegistry, SchemaTable, UserInfo } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { WatchSource } from '../cache/watch-source.ts';
import type { TablePrinter } from '../ports/columns.ts';
import type { Conversion } from '../ports/conversion.ts';
import type { Strategy } from '../ports/strategy.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { RequestInfo } from '../request/info.ts';
import type { Query } from '../request/query.ts';
import type { ObjectBytes } from '../storage/object-bytes.ts';
import type { Traits } from './traits.ts';

/*
 * Four things that name each other: the definition of a resource, the resource at work, a call on it, and the reply.
 */

/** What answers one verb. Throws StatusError. */
export type Handler<C> = (call: C) => Reply | Promise<Reply>;

/** What answers each verb that a subresource, or a resource that is not stored, has. */
export interface Handlers<C extends AnyCall> {
  readonly [verb: string]: Handler<C>;
}

/** What a change by a subresource takes over; everything else of the object stays as it was. */
export type ObjectPart =
  /** The status, by the strategy and the rules of status updates. */
  | 'status'
  | {
      /** Whether the part is of the status, so that the spec stays; absent: of the object. */
      readonly of?: 'status';
      /** Puts back what the caller may not change. Writes into `object`. */
      keep(object: KubeObject, before: KubeObject): void;
      /** What is wrong with the change. */
      validate(object: KubeObject, before: KubeObject): FieldError[];
    };

/** One subresource: what answers it and, where it is a view of the object, which part of it it changes. */
export interface SubresourceDefinition {
  readonly handlers: Handlers<Call>;
  /** Answers every method in whatever form the other side likes, in place of `handlers`: a proxy. */
  readonly connect?: Handler<ConnectCall>;
  readonly part?: ObjectPart;
}

/** One version in which a resource is served. */
export interface VersionDefinition {
  /** Names, verbs and subresources, as discovery shows them. */
  readonly info: ResourceInfo;
  /** Absent for versions that differ in nothing but the name. Of the stored version: objects may be stored in others. */
  readonly conversion?: Conversion;
  /** Absent: name and age. */
  readonly columns?: TablePrinter;
  /** The labels of field selectors, read from the stored object; absent: those of the rules. */
  readonly fields?: KindRules['fields'];
  /** The fields are read from the object as this version shows it, as its conversion may make others of them. */
  readonly selectsViews?: true;
  /** Defaults and validation of this version itself, for objects as they are served; absent: the stored version's. */
  readonly rules?: KindRules;
  /** The verbs that are answered, where discovery shows others. */
  readonly answeredVerbs?: readonly string[];
  /** Of a custom kind, whose requests upstream's other server refuses in words of its own. */
  readonly isCustom?: true;
  /** Callers are told with every request: the version is deprecated. */
  readonly warning?: string;
  /** By name. What `info` lists and is not here is answered with 501. */
  readonly subresources: { readonly [name: string]: SubresourceDefinition };
}

/** Everything about one resource whose objects are stored. */
export interface StoredDefinition {
  readonly kind: 'stored';
  /** `pods`, `deployments.apps`: resource and group of the stored version; one of a kind in the catalogue. */
  readonly name: string;
  /** The version that is stored, whether it is served or not. */
  readonly storage: ResourceInfo;
  /** At least one; groups may differ (Events). */
  readonly versions: readonly VersionDefinition[];
  /**
   * The versions in which objects may be in the store, with their own defaults: each is read as the one it is in, and
   * `conversion` makes it another. Absent: all are read as the stored version, whatever they say.
   */
  readonly storedVersions?: readonly { readonly info: ResourceInfo; readonly rules: KindRules }[];
  /** Structs that only this definition has, by the names that its versions' `schema` says. */
  readonly structs?: SchemaTable;
  readonly rules: KindRules;
  readonly strategy: Strategy;
  readonly traits: Traits;
  /** The one field of the rules that the cache indexes: `spec.nodeName` of pods. */
  readonly indexedField?: string;
  /** The cache stands before the server answers, because policy reads it synchronously; the others wait for use. */
  readonly eager?: boolean;
  /**
   * The schema may be another one than what is stored was written by: bytes of the store go out only where they are
   * what their object is today.
   */
  readonly mutableSchema?: boolean;
  /** Upstream keeps them as protobuf: what is an empty list or map, and written although it is empty, rests as null. */
  readonly forgetsEmpties?: boolean;
}

/** A resource that is answered and forgotten: reviews, bindings; component statuses. */
export interface ComputedDefinition {
  readonly kind: 'computed';
  readonly name: string;
  readonly versions: readonly ComputedVersion[];
  /** Structs that are in no other table. */
  readonly structs?: SchemaTable;
}

/** One version of what is not stored. */
export interface ComputedVersion {
  readonly info: ResourceInfo;
  readonly handlers: Handlers<AnyCall>;
  /** Callers are told with every request: it is deprecated. */
  readonly warning?: string;
}

/** Everything about one resource, in all its versions: what a newcomer writes to have it served. */
export type Definition = StoredDefinition | ComputedDefinition;

/** `pods`, `deployments.apps`: how messages, tables and the catalogue name a resource. */
export function resourceName({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** One stored resource at work: what its served versions share. */
export interface StoredResource {
  readonly definition: StoredDefinition;
  /** Of the version that is stored. */
  readonly info: ResourceInfo;
  readonly cache: WatchCache;
  readonly rules: KindRules;
  readonly strategy: Strategy;
  readonly traits: Traits;
  readonly bytes: ObjectBytes;
  /** The field that the cache indexes. */
  readonly indexedField: string | undefined;
  /** What rests of an object in the stored version: itself, or a copy without what is forgotten. */
  readonly kept: <T extends object>(object: T) => T;
}

/** One resource in one served version. */
export interface ServedResource {
  readonly info: ResourceInfo;
  readonly stored: StoredResource;
  /** Which has its struct. */
  readonly schemas: SchemaRegistry;
  readonly bytes: ObjectBytes;
  readonly columns: TablePrinter | undefined;
  readonly fields: KindRules['fields'];
  /** Whether fields are read from `view`, once it is prepared; else from the stored object. */
  readonly selectsViews: boolean;
  readonly subresources: { readonly [name: string]: SubresourceDefinition };
  /** As which kind, and by which rules, its objects are validated: as they are served where `ownRules`, else as stored. */
  readonly validation: KindToValidate;
  /** The rules of this version itself, which defaults and validates objects as they are served. */
  readonly ownRules: KindRules | undefined;
  readonly warning: string | undefined;
  readonly answeredVerbs: readonly string[];
  readonly isCustom: boolean;
  readonly hasStatus: boolean;
  /** The status of a new object in normal form: what the walker makes of `{}`; undefined where Go leaves it out. */
  emptyStatus(): unknown;
  /** The same of an object as it is served. */
  readonly kept: <T extends object>(object: T) => T;
  /** Whether the served version is the stored one, so that nothing is converted. */
  readonly native: boolean;
  /** A new object in the stored version; the argument's parts may be used in it. At once for built-in kinds. */
  toStored(object: KubeObject): KubeObject | Promise<KubeObject>;
  /** Converts what `view` is about to be asked for, all in one go; undefined: done, or nothing to do. */
  readonly prepare: (entries: readonly Entry[]) => Promise<void> | undefined;
  /** The entry's object in the served version; shared, read only. Where conversion waits, after `prepare`. */
  view(entry: Entry): KubeObject;
}

/** One authorised call on any resource, stored or virtual. */
export interface AnyCall {
  readonly served: { readonly info: ResourceInfo };
  readonly info: RequestInfo;
  readonly query: Query;
  readonly request: ApiRequest;
  readonly user: UserInfo;
  /** Who really called, where `user` is whom he goes on as. */
  readonly impersonator?: UserInfo | undefined;
  readonly dryRun: boolean;
  /** Of this request itself. */
  readonly cause: Cause;
  /** The caller writes only as long as it leads. */
  readonly fence?: Fence | undefined;
  /** Adds a `Warning` header. */
  warn(message: string): void;
  /** For the trace: a plugin of admission made these fields others. Absent: nobody listens. */
  admittedBy?(plugin: string, changed: readonly string[]): void;
  /** What the body calls the object that is to be made, for the trace of a refusal. Absent: nobody listens. */
  named?(name: string): void;
  /** Adds to the request's audit record; the first value of a key stays. */
  annotate(key: string, value: string): void;
  /** The request waited so long for somebody else: a webhook. */
  waited(seconds: number): void;
  /** Takes what the caller sent, decoded, before anything is changed; absent where nobody records it. */
  received?(value: unknown): void;
}

/** One authorised call on a stored resource, as the verbs take it. */
export interface Call extends AnyCall {
  readonly served: ServedResource;
}

/** A call that is passed on: what its query and body say is not for this server to read. */
export type ConnectCall = Pick<Call, 'served' | 'info' | 'request' | 'user' | 'warn' | 'annotate' | 'waited'>;

/** The items of a list: entries of a snapshot, in order. */
export interface ListReply {
  readonly kind: 'list';
  readonly served: ServedResource;
  readonly items: readonly Entry[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Bytes as they come, such as a log that is followed. */
export interface StreamReply {
  readonly kind: 'stream';
  readonly code: number;
  readonly contentType: string;
  /** All headers of somebody else's answer, names in lower case, in place of what this server would say. */
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  /** Clients of a WebSocket get it in messages. */
  readonly inMessages?: true;
  /** It has no body of its own: read to its end also for HEAD, which keeps the source's connection. */
  readonly isEmpty?: true;
  /** Read once; throws when its source breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The reader has gone; ends the source, also one that is never read. */
  cancel(): void;
}

/** The connection changes its protocol: from now on it is joined to `stream`. */
export interface UpgradeReply {
  readonly kind: 'upgrade';
  readonly code: 101;
  /** Of the handshake, names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly stream: Duplex;
}

/** What a verb answers, before it is a form that somebody asked for. */
export type Reply =
  | { readonly kind: 'entry'; readonly code: number; readonly served: ServedResource; readonly entry: Entry }
  /** An object that is not (or not in this form) in the cache: dry runs, Status, Scale, reviews. */
  | {
      readonly kind: 'object';
      readonly code: number;
      readonly object: KubeObject | object;
      /** Of a list: what it holds. Not told by its members, as custom objects may have `items` of their own. */
      readonly items?: readonly KubeObject[];
      /** How it, or the items of a list, are shown as rows; absent: name and age. */
      readonly columns?: TablePrinter | undefined;
    }
  | ListReply
  | StreamReply
  | UpgradeReply
  | { readonly kind: 'watch'; readonly served: ServedResource; readonly source: WatchSource }
  /** Not JSON of the API: metrics, health, openapi. */
  | {
      readonly kind: 'text';
      readonly code: number;
      readonly contentType: string;
      readonly body: string | Uint8Array;
      readonly headers?: { readonly [name: string]: string };
    };

/** What can be answered whole: all but watches, streams and upgrades. */
export type WholeReply = Exclude<Reply, { readonly kind: 'watch' | 'stream' | 'upgrade' }>;
