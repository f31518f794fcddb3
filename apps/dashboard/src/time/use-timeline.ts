import { TRACE_GROUP, TRACE_VERSION } from '@binnacle/trace';
import type { RingState } from '@binnacle/trace';
import { useMemo } from 'react';
import { useHopsAt } from '../why/use-hops.ts';
import { momentsOf } from './moments.ts';
import type { Moment } from './moments.ts';

/** The store's history, as far as the viewer may see it: what each revision changed, and how far back lists can go. */
export interface Timeline {
  readonly moments: readonly Moment[];
  readonly ring: RingState | undefined;
  readonly error?: string;
}

/** Follows the commits; `namespace`: of one namespace alone, for those who see no other. */
export function useTimeline(namespace: string): Timeline {
  const place = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const { hops, ring, error } = useHopsAt(`/apis/${TRACE_GROUP}/${TRACE_VERSION}${place}/hops?type=commit`);
  const moments = useMemo(() => momentsOf(hops), [hops]);
  return { moments, ring, ...(error === undefined ? {} : { error }) };
}
