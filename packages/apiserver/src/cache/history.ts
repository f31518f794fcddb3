import type { Store } from '@binnacle/store';
import { prefixEnd } from '@binnacle/store';
import { REGISTRY } from '../storage/keys.ts';
import { cacheEvent } from './event.ts';
import type { CacheEvent } from './event.ts';
import type { WatchCache } from './watch-cache.ts';

/** A backlog larger than this is not worth its memory: listing anew costs the client less. */
const HISTORY_BYTES_MAX = 64 << 20;

/** Which part of the past. */
export interface HistorySpan {
  readonly after: number;
  readonly until: number;
  readonly prove: (() => void) | undefined;
  /** One object: `namespace/name`; absent: all of the resource. */
  readonly only?: string;
}

/**
 * The changes of a resource after one revision and up to another, from the store's own history: for watches that
 * resume from before the ring. Undefined when they are too many. `prove`: what brings an event behind the last one
 * where the store tells no progress; then all keys are listened to, as it is another one. Throws the store's
 * CompactedError.
 */
export function readHistory(store: Store, cache: WatchCache, span: HistorySpan): Promise<CacheEvent[] | undefined> {
  return new Promise((resolve, reject) => {
    const found: CacheEvent[] = [];
    let over = false;
    let bytes = 0;
    const finish = (): void => {
      if (over) return;
      over = true;
      // The handle may not be known yet when the store answers at once.
      queueMicrotask(() => handle.cancel());
      resolve(bytes > HISTORY_BYTES_MAX ? undefined : found);
    };
    const { prove, only } = span;
    const wanted = only === undefined ? undefined : cache.prefix + only;
    const key = prove === undefined ? (wanted ?? cache.prefix) : REGISTRY;
    const end = key === wanted ? {} : { end: prefixEnd(key) };
    const handle = store.watch(
      { key, ...end, startRevision: span.after + 1, prevKv: true, progress: true },
      {
        created: () => queueMicrotask(() => over || (prove ?? ((): void => handle.requestProgress()))()),
        events(events, revision) {
          for (const { type, kv, prevKv } of events) {
            if (kv.modRevision > span.until || over || !kv.key.startsWith(cache.prefix)) continue;
            if (wanted !== undefined && kv.key !== wanted) continue;
            bytes += kv.value.length + (prevKv?.value.length ?? 0);
            if (bytes > HISTORY_BYTES_MAX) return finish();
            const before = prevKv === undefined ? undefined : cache.entryOf(prevKv);
            found.push(cacheEvent(kv.modRevision, before, type === 'put' ? cache.entryOf(kv) : undefined));
          }
          if (revision >= span.until) finish();
        },
        progress(revision) {
          if (revision >= span.until) finish();
        },
        end(error) {
          if (error !== undefined && !over) reject(error);
        },
      },
    );
  });
}
