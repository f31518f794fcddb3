import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../live/rows.ts';
import { isCut, NAMESPACE, shownColumns, shownText } from './shown-columns.ts';

const COLUMNS = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'IP', type: 'string', priority: 1 },
  { name: 'Age', type: 'string', priority: 0 },
];
const NOW = Date.parse('2026-01-01T00:01:00Z');

test('columns of less use are shown where they are wanted, the namespace where there are several', () => {
  const names = (isWide: boolean, namespace?: string) =>
    shownColumns(COLUMNS, { isWide, namespace }).map(({ name, at }) => `${name} ${at}`);
  assert.deepEqual(names(false), ['Name 0', 'Age 2']);
  assert.deepEqual(names(true, 'Namespace'), [`Namespace ${NAMESPACE}`, 'Name 0', 'IP 1', 'Age 2']);
});

test('a row says its cells, its namespace, and how old it is', () => {
  const metadata = { name: 'a', namespace: 'ns', resourceVersion: '1' };
  const texts = (row: Row) =>
    shownColumns(COLUMNS, { isWide: true, namespace: 'NS' }).map((column) => shownText(row, column, NOW));
  const made = { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' };
  assert.deepEqual(texts({ cells: ['a\u202E', 7, 'long ago'], object: { metadata: made } }), [
    'ns',
    'a\\u202e',
    '7',
    '60s',
  ]);
  // Who does not say when it was made has what the server says.
  assert.deepEqual(texts({ cells: ['a', null, '3d'], object: { metadata } }), ['ns', 'a', '', '3d']);
  assert.deepEqual(texts({ cells: [], object: { metadata: { name: 'a', resourceVersion: '1' } } }), ['', '', '', '']);
});

test('texts that may be wider than their column are cut, and those of unknown width and height', () => {
  const [name, other] = [0, 1].map((at) => ({ name: '', at, isAge: false }));
  assert.ok(name !== undefined && other !== undefined);
  const cut = (text: string) => [isCut(text, name), isCut(text, other)];
  assert.deepEqual(cut('Running'), [false, false]);
  assert.deepEqual(cut('Completed'), [false, true]);
  assert.deepEqual(cut('x'.repeat(19)), [true, true]);
  for (const text of ['\uFDFD', 'a\nb', 'Z\u0351\u0351']) assert.deepEqual(cut(text), [true, true], text);
});
