import type { Cause, Hop } from '@binnacle/base';

/** What an admission plugin made another of the object. */
export interface AdmittedBy {
  readonly plugin: string;
  /** Paths of fields, `spec.tolerations`; sixteen at the most. */
  readonly changed: readonly string[];
}

/** One request with what was decided about it, in one piece: what is told of it apart is put apart when it is read. */
export interface RequestRecord {
  readonly kind: 'request';
  readonly seq: number;
  /** When it came: milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly ms: number;
  readonly code: number;
  readonly error: string | undefined;
  readonly method: string;
  readonly path: string;
  /** As it came, without its mark. */
  readonly query: string;
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for collections, and for what was made, which its commit names. */
  readonly name: string;
  /** Who called. */
  readonly user: string;
  /** As whom, where that is somebody else. */
  readonly impersonated: string | undefined;
  /** Header `user-agent`; empty in process. */
  readonly agent: string;
  /** What writes and later requests name as their cause: unlike an audit ID, no other request has it (see `requestId`). */
  readonly id: string;
  readonly cause: Cause | undefined;
  /** Why it was allowed; undefined: it was not, or nobody came to ask. */
  readonly allowed: string | undefined;
  readonly admitted: readonly AdmittedBy[] | undefined;
}

/** One write that the store took. */
export interface CommitRecord {
  readonly kind: 'commit';
  readonly seq: number;
  readonly at: number;
  readonly ms: number;
  readonly operation: 'create' | 'update' | 'delete';
  readonly revision: number;
  readonly group: string;
  readonly resource: string;
  /** `namespace/name`, or the name. */
  readonly key: string;
  readonly namespaced: boolean;
  readonly uid: string | undefined;
  readonly cause: Cause;
}

/** What a component did. */
export interface ComponentRecord {
  readonly kind: 'component';
  readonly seq: number;
  readonly at: number;
  readonly hop: Hop;
  /** Who told it over the wire; undefined: a component of this process. */
  readonly reporter: string | undefined;
}

/** A watch that is open, as its deliveries name it. */
export interface WatchRecord {
  /** The request that opened it. */
  readonly id: string;
  readonly user: string;
  readonly impersonated: string | undefined;
  readonly agent: string;
  readonly path: string;
  /** As it came, without its mark. */
  readonly query: string;
  readonly group: string;
  readonly resource: string;
}

/** One event that was handed to one watch. */
export interface DeliveryRecord {
  readonly kind: 'delivery';
  readonly seq: number;
  readonly at: number;
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `namespace/name`, or the name. */
  readonly key: string;
  readonly namespaced: boolean;
  readonly watch: WatchRecord;
}

/** Anything that is remembered. */
export type TraceRecord = RequestRecord | CommitRecord | ComponentRecord | DeliveryRecord;

/** A record that has no number yet. */
export type Unnumbered<R extends TraceRecord> = Omit<R, 'seq'>;
