import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../live/rows.ts';
import { filterRows } from './filter-rows.ts';

const rows: readonly Row[] = ['web-1', 'web-2', 'db-1'].map((name, at) => ({
  cells: [name, at === 0 ? 'Running' : 'Pending'],
  object: { metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', labels: { app: name.slice(0, 2) } } },
}));

for (const [filter, found] of [
  ['', 'web-1,web-2,db-1'],
  ['web', 'web-1,web-2'],
  ['web pending', 'web-2'],
  ['APP=DB', 'db-1'],
  ['shop', 'web-1,web-2,db-1'],
  ['[', ''],
] as const) {
  test(`"${filter}"`, () =>
    equal(
      filterRows(rows, filter)
        .map((row) => row.object.metadata.name)
        .join(),
      found,
    ));
}
