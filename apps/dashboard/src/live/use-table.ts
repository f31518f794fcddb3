import { useMemo, useSyncExternalStore } from 'react';
import { request } from '../api/request.ts';
import { streams } from '../api/streams.ts';
import { LiveTable } from './live-table.ts';
import type { LiveWorld, TableView } from './live-table.ts';
import type { Table } from './rows.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const world: LiveWorld = {
  list: async (path) => (await request<Table>({ path, accept: TABLE })).value,
  open: (path, listener) => streams.open(path, TABLE, listener),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => void requestAnimationFrame(run),
};

/** A list of the API as the server prints it, kept true as long as the component is shown. */
export function useTable(path: string, query: string): TableView {
  const table = useMemo(() => new LiveTable(path, query, world), [path, query]);
  return useSyncExternalStore(table.subscribe, table.view);
}
