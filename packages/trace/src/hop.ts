import type { HopDetail, HopKind, TraceObject } from '@binnacle/base';

/** The API group under which the trace is served. */
export const TRACE_GROUP = 'trace.binnacle.dev';
/** The version in which it is served. */
export const TRACE_VERSION = 'v1';

/**
 * Why a hop was taken. Chains of `hop` end in one of the others: `client`, somebody asked by himself; `timer`, it was
 * time (a heartbeat, a retry, a loop of the API server); `forgotten`, the ring has let go of it, or another API server
 * did it; `hidden`, the viewer may not see it.
 */
export type HopCause =
  | { readonly type: 'hop'; readonly hop: string }
  | { readonly type: 'client' }
  | { readonly type: 'timer'; readonly what: string }
  | { readonly type: 'forgotten'; readonly revision?: string }
  | { readonly type: 'hidden' };

/** One step that somebody took, as `hops.trace.binnacle.dev` shows it. */
export interface TraceHop {
  readonly apiVersion: string;
  readonly kind: 'Hop';
  readonly metadata: {
    /** Unique in the ring; hops of one record share what is before the dot. */
    readonly name: string;
    /** That of the object; absent for cluster-scoped objects and paths. */
    readonly namespace?: string;
    /** Grows with every record of the ring: where to go on watching from. */
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly type: HopKind;
  /** Who did it: a program as it names itself, a controller, `kubelet NODE`. */
  readonly component: string;
  /** Who asked, or to whom a watch belongs; as in the audit log that is who really called. */
  readonly user?: string;
  /** As whom, where that is somebody else. */
  readonly impersonatedUser?: string;
  /** What was done, in a few words. */
  readonly title: string;
  /** When it began: milliseconds since the epoch, with fractions. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly object?: TraceObject;
  /** Of the store: what the hop made or saw. */
  readonly revision?: string;
  readonly cause: HopCause;
  /** Why it failed; absent: it did not. */
  readonly error?: string;
  readonly detail?: HopDetail;
}

/** What the ring holds, so that nobody takes what is left for all there was. */
export interface RingState {
  /** False: the API server keeps no trace (`--trace=off`). */
  readonly on: boolean;
  /** Milliseconds since the epoch since when nothing of a kind was forgotten; absent: since the start. */
  readonly completeSinceMs?: { readonly changes?: number; readonly others?: number; readonly deliveries?: number };
  /** How many records are gone. */
  readonly forgotten: { readonly changes: number; readonly others: number; readonly deliveries: number };
  /** The store's revisions that lists (`resourceVersionMatch=Exact`) and `revisions` can go back to. */
  readonly oldestRevision: string;
  readonly currentRevision: string;
}

/** GET on `hops`. Items are in the order of their beginning. */
export interface TraceHopList {
  readonly apiVersion: string;
  readonly kind: 'HopList';
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly ring: RingState;
  /** The story of an object that has more records than are told: some are left out. */
  readonly isCut?: true;
  readonly items: readonly TraceHop[];
}
