import { useMemo, useSyncExternalStore } from 'react';
import { request } from '../api/request.ts';
import { streams } from '../api/streams.ts';
import { useMoment } from '../route/use-route.ts';
import { LiveTable } from './live-table.ts';
import type { LiveWorld, TableView } from './live-table.ts';
import { OBJECT_READING, TABLE_READING } from './rows.ts';
import type { ApiObject, Reading } from './rows.ts';

const world: LiveWorld = {
  list: async (path, accept) => (await request<unknown>({ path, accept })).value,
  open: (path, accept, listener) => streams.open(path, accept, listener),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => void requestAnimationFrame(run),
};

/** How a list is read. */
export interface ListChoice {
  /** Selectors, as they travel. */
  readonly query?: string;
  /** False: the server does not tell of its changes. */
  readonly isWatched?: boolean;
  /** What is true of now alone, whatever moment is looked at. */
  readonly isOfNow?: boolean;
  /** In which form objects are kept; absent: whole. */
  readonly reading?: Reading;
  /** As of this revision, whatever moment is looked at. */
  readonly at?: string;
}

/** A list of the API as the server prints it: kept true as long as the component is shown, or of the chosen moment. */
export function useTable(path: string, choice: ListChoice = {}): TableView {
  return useLive(path, TABLE_READING, choice);
}

/** A list of whole objects. */
export interface ObjectsView extends TableView {
  readonly objects: readonly ApiObject[];
}

/** Whole objects of a list, likewise. */
export function useObjects(path: string, choice: ListChoice = {}): ObjectsView {
  const view = useLive(path, choice.reading ?? OBJECT_READING, choice);
  const objects = useMemo(() => view.rows.map((row) => row.object as ApiObject), [view.rows]);
  return { ...view, objects };
}

function useLive(path: string, reading: Reading, choice: ListChoice): TableView {
  const { query = '', isWatched = true, isOfNow = false } = choice;
  const moment = useMoment();
  const at = isOfNow ? undefined : (choice.at ?? moment);
  const table = useMemo(
    () => new LiveTable({ path, query, reading, at, isWatched }, world),
    [path, query, reading, at, isWatched],
  );
  return useSyncExternalStore(table.subscribe, table.view);
}
