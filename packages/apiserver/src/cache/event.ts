import type { WatchEvent } from '@binnacle/machinery';
import type { Entry } from './entry.ts';

/** One change of one object, shared by all watchers; each form of it is made once (`frames`). */
export interface CacheEvent {
  readonly revision: number;
  readonly key: string;
  /** Undefined for a delete. */
  readonly after: Entry | undefined;
  /** Undefined for a create. */
  readonly before: Entry | undefined;
  /** How many watchers were handed it, as far as the trace counts. */
  deliveries: number;
  /** How many watchers have yet to hand it out; kept by the backlog. */
  holders: number;
  /** Encoded watch events by type and version, made on first need by encode/watch-frame.ts. */
  frames: Map<string, Uint8Array> | undefined;
  /** What callers in the process are told, made on first need by inprocess/watch.ts. */
  told: { readonly by: object; readonly event: WatchEvent } | undefined;
}

export function cacheEvent(revision: number, before: Entry | undefined, after: Entry | undefined): CacheEvent {
  return {
    revision,
    key: (after ?? before)?.key ?? '',
    before,
    after,
    deliveries: 0,
    holders: 0,
    frames: undefined,
    told: undefined,
  };
}
