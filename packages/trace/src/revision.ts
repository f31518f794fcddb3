import type { TraceObject } from '@binnacle/base';
import type { HopCause } from './hop.ts';

/** One version that an object had, as `revisions.trace.binnacle.dev` shows it. Two neighbours are what a diff is made of. */
export interface PastRevision {
  readonly apiVersion: string;
  readonly kind: 'Revision';
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly creationTimestamp?: string };
  /** The store's revision that made it. */
  readonly revision: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly about: TraceObject;
  /** Who wrote it and by which request, as long as the ring knows. */
  readonly component?: string;
  readonly user?: string;
  /** As whom, where that is somebody else. */
  readonly impersonatedUser?: string;
  readonly request?: string;
  readonly atMs?: number;
  /** The hop of the commit, else why there is none. */
  readonly cause: HopCause;
  /** The object as it was then; of a deletion, as it was last. In the version that was asked for. */
  readonly object: unknown;
}

/** GET on `revisions`. Items are the oldest first; `metadata.continue`: there are older ones, which the next page has. */
export interface PastRevisionList {
  readonly apiVersion: string;
  readonly kind: 'RevisionList';
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  /** What is before this revision was compacted away; absent: nothing of the object is missing. */
  readonly compactedBefore?: string;
  readonly items: readonly PastRevision[];
}
