import assert, { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../live/rows.ts';
import { nextSort, sortRows } from './sort-rows.ts';

const COLUMNS = ['Name', 'Restarts', 'Age'].map((name) => ({ name, type: 'string', priority: 0 }));
const row = (name: string, restarts: unknown, second: number): Row => ({
  cells: [name, restarts, `${second}s`],
  object: { metadata: { name, resourceVersion: '1', creationTimestamp: new Date(second * 1000).toISOString() } },
});
const MADE = [row('a', '10 (2m ago)', 3), row('b', 2, 1), row('c', '2', 2), row('d', '0', 9)];

for (const [sort, names] of [
  ['', 'abcd'],
  ['-', 'abcd'],
  ['Nothing', 'abcd'],
  ['constructor', 'abcd'],
  ['Name', 'abcd'],
  ['-Name', 'dcba'],
  ['Restarts', 'dbca'],
  ['-Restarts', 'abcd'],
  ['Age', 'dacb'],
  ['-Age', 'bcad'],
] as const) {
  test(`in the order of "${sort}"`, () => {
    const sorted = sortRows(MADE, COLUMNS, sort);
    equal(sorted.map(({ object }) => object.metadata.name).join(''), names);
  });
}

test('a column named Age that tells no age is in the order of its cells', () => {
  const [name, restarts] = COLUMNS;
  assert.ok(name !== undefined && restarts !== undefined);
  const wise = [9, 7, 11].map((years, at) => ({
    ...row('abc'.charAt(at), 0, at),
    cells: ['abc'.charAt(at), 0, years],
  }));
  const columns = [name, restarts, { name: 'Age', type: 'integer', priority: 0 }];
  equal(
    sortRows(wise, columns, 'Age')
      .map(({ object }) => object.metadata.name)
      .join(''),
    'bac',
  );
});

test('what has no time is older than all', () => {
  const timeless: Row = { cells: [], object: { metadata: { name: 'x', resourceVersion: '1' } } };
  equal(sortRows([timeless, ...MADE], COLUMNS, '-Age')[0], timeless);
});

test('a head is clicked: up, down, by name', () => {
  const first = nextSort('', 'Age');
  const second = nextSort(first, 'Age');
  deepEqual([first, second, nextSort(second, 'Age'), nextSort('-Age', 'Name')], ['Age', '-Age', '', 'Name']);
});
