import { useMemo, useSyncExternalStore } from 'react';
import { request } from '../api/request.ts';
import { streams } from '../api/streams.ts';
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

/** A list of the API as the server prints it, kept true as long as the component is shown. */
export function useTable(path: string, query: string): TableView {
  return useLive(path, query, TABLE_READING);
}

/** Whole objects of a list, likewise. */
export function useObjects(path: string, query: string): TableView & { readonly objects: readonly ApiObject[] } {
  const view = useLive(path, query, OBJECT_READING);
  const objects = useMemo(() => view.rows.map((row) => row.object as ApiObject), [view.rows]);
  return { ...view, objects };
}

function useLive(path: string, query: string, reading: Reading): TableView {
  const table = useMemo(() => new LiveTable({ path, query, reading }, world), [path, query, reading]);
  return useSyncExternalStore(table.subscribe, table.view);
}
