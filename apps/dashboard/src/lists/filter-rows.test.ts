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

const odd = (cell: unknown, labels?: { readonly [key: string]: string }): readonly Row[] => [
  { cells: [cell], object: { metadata: { name: 'x', resourceVersion: '1', ...(labels !== undefined && { labels }) } } },
];
const FOUND: readonly (readonly [what: string, rows: readonly Row[], filter: string, isFound: boolean])[] = [
  ['a number', odd(8080), '808', true],
  ['nothing at all', odd(null), 'null', false],
  ['a cell that is an object', odd({ a: 1 }), '"a":1', true],
  ['an object without labels', odd('web'), 'app=', false],
  ['an object whose labels are null', odd('web', null as never), 'web', true],
  ['a label by its key alone', odd('', { 'app.kubernetes.io/name': 'web' }), 'kubernetes.io/name=', true],
  [
    'a word that begins in one cell and ends in the next',
    [{ ...odd('ab')[0], cells: ['ab', 'cd'] } as Row],
    'bcd',
    false,
  ],
  ['Korean', odd('\uc6f9 \uc11c\ubc84'), '\uc11c\ubc84', true],
  ['what hides text, as it is shown', odd('a\u202eb'), '\\u202e', true],
  ['words in any order, with any space between', odd('web Running'), '  running \t WEB ', true],
];
for (const [what, among, filter, isFound] of FOUND) {
  test(`${what}: ${isFound ? 'found' : 'not found'}`, () => equal(filterRows(among, filter).length, isFound ? 1 : 0));
}
