/**
 * The request that made a write, or that made somebody else write (law 11). Kept out of the objects;
 * passed on explicitly, never ambient.
 */
export interface Cause {
  /** Unique per request (an audit ID). */
  readonly id: string;
  /** Who asked, e.g. `kubectl`, `replication-controller`. */
  readonly component: string;
  /** What was asked, e.g. `POST /api/v1/namespaces/default/pods`. */
  readonly request: string;
  /** The store's revision that the request made, when known. */
  readonly revision?: string;
  readonly parent?: Cause;
}

/** A leader's term: a write that carries it is done only while this Lease is held so. See docs/decisions/0159. */
export interface Fence {
  readonly namespace: string;
  readonly lease: string;
  /** The Lease's `holderIdentity`. */
  readonly holder: string;
  /** The Lease's `leaseTransitions`. */
  readonly transitions: number;
}

/** Goes along with every call: when to give up, why it is made, and in whose term. */
export interface CallContext {
  readonly signal?: AbortSignal;
  readonly cause?: Cause;
  /** Of writes alone. */
  readonly fence?: Fence;
}
