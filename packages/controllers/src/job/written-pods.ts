import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';

/**
 * Pods as this process wrote them, for as long as the cache shows an older version: whether a pod was counted hangs on its
 * finalizer, and one that was put on or taken off just now must not be looked for in the cache. Of one resource, revisions
 * can be compared (v1.35).
 */
export class WrittenPods {
  readonly #cache: { get(key: string): Pod | undefined };
  readonly #byUid = new Map<string, Pod>();

  constructor(cache: { get(key: string): Pod | undefined }) {
    this.#cache = cache;
  }

  /** Takes note of a pod as the server answered it, and answers with it; the cache may have been told before we were. */
  note(pod: Pod): Pod {
    const { uid = '' } = pod.metadata;
    const cached = this.#cache.get(cacheKey(pod));
    if (cached?.metadata.uid === uid && revisionOf(cached) < revisionOf(pod)) this.#byUid.set(uid, pod);
    return pod;
  }

  /** The newer of what the cache shows and what was written. */
  latest(pod: Pod): Pod {
    const written = this.#byUid.get(pod.metadata.uid ?? '');
    return written !== undefined && revisionOf(pod) < revisionOf(written) ? written : pod;
  }

  /** The cache shows this now, or that it is gone. */
  settle(pod: Pod, gone: boolean): void {
    const { uid = '' } = pod.metadata;
    const written = this.#byUid.get(uid);
    if (written !== undefined && (gone || revisionOf(pod) >= revisionOf(written))) this.#byUid.delete(uid);
  }
}

function revisionOf({ metadata: { resourceVersion = '' } }: Pod): number {
  return Number(resourceVersion);
}
