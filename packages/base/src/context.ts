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

/** Goes along with every call: when to give up, and why it is made. */
export interface CallContext {
  readonly signal?: AbortSignal;
  readonly cause?: Cause;
}
