import type { PastRevision, PastRevisionList } from '@binnacle/trace';
import { useEffect, useState } from 'react';
import { hasCode } from '../api/has-code.ts';
import { request } from '../api/request.ts';

/** The latest versions of an object that the store still has. */
export interface Revisions {
  /** Undefined: not read yet. */
  readonly items: readonly PastRevision[] | undefined;
  readonly compactedBefore?: string;
  /** There are older ones. */
  readonly isCut?: boolean;
  /** The store has nothing of its kind. */
  readonly isTimeless?: boolean;
  readonly error?: string;
}

/** Reads them, again whenever `version` changes. `path`: of the trace group, about the object. */
export function useRevisions(path: string, version: string): Revisions {
  const [found, setFound] = useState<Revisions>({ items: undefined });
  useEffect(() => {
    const gone = new AbortController();
    request<PastRevisionList>({ path, signal: gone.signal }).then(
      ({ value: { items, compactedBefore, metadata } }) =>
        setFound({
          items,
          ...(compactedBefore === undefined ? {} : { compactedBefore }),
          isCut: metadata.continue !== undefined,
        }),
      (reason: unknown) => {
        if (gone.signal.aborted) return;
        if (hasCode(reason, 404)) setFound({ items: [], isTimeless: true });
        else setFound({ items: [], error: reason instanceof Error ? reason.message : String(reason) });
      },
    );
    return () => gone.abort();
  }, [path, version]);
  return found;
}
