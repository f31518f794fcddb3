import { TRACE_GROUP } from '@binnacle/trace';
import { useKinds } from '../kinds/use-kinds.ts';
import type { TableView } from '../live/live-table.ts';
import { useObjects } from '../live/use-table.ts';
import { useRights } from '../rights/use-rights.ts';
import { PAUSES_PATH } from './pause.ts';
import type { Pause } from './pause.ts';

/** Who can be held, live. */
export interface LivePauses extends Pick<TableView, 'state' | 'error'> {
  readonly pauses: readonly Pause[];
}

/** Follows them; only where `useHasPauses`. */
export function usePauses(): LivePauses {
  const { objects, state, error } = useObjects(PAUSES_PATH, { isOfNow: true });
  return { pauses: objects as readonly Pause[], state, ...(error === undefined ? {} : { error }) };
}

/** Whether the server can hold components, and the viewer may see it. */
export function useHasPauses(): boolean {
  const rights = useRights('');
  const isServed = useKinds().some(({ group, resource }) => group === TRACE_GROUP && resource === 'pauses');
  return isServed && rights({ verb: 'list', group: TRACE_GROUP, resource: 'pauses' });
}
