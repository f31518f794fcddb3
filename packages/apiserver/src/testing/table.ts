import assert from 'node:assert/strict';
import type { KubeObject } from '@binnacle/machinery';
import { KINDS } from '../kinds/table.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

/** The time so many seconds before the table is printed. */
export function at(secondsAgo: number): string {
  return new Date(NOW - secondsAgo * 1000).toISOString().replace('.000', '');
}

/** Metadata of an object that is 90 seconds old. */
export function meta(more: object = {}): object {
  return { name: 'x', namespace: 'default', creationTimestamp: at(90), ...more };
}

/** What `kubectl get` prints of an object, one cell per column; all columns with `-o wide`. */
export function cells(resource: string, object: object, isWide = false): unknown[] {
  const row = resource === 'events.events.k8s.io' ? KINDS['events']?.versions?.['events.k8s.io/v1'] : KINDS[resource];
  const printer = row?.columns;
  assert.ok(printer !== undefined, `no printer for ${resource}`);
  const shown = printer.row(object as KubeObject, NOW);
  assert.equal(shown.length, printer.columns.length);
  return shown.filter((_, i) => isWide || printer.columns[i]?.priority === 0);
}

/** What a row of a table of tests says: its name, the resource, the object and all its cells. */
export type TableRow = readonly [name: string, resource: string, object: object, cells: readonly unknown[]];
