import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column, Row, RowMetadata } from '../live/rows.ts';
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

test('what leads to the object is shown, of however little use the server says it is, and where it names no columns', () => {
  const shown = (columns: readonly Column[]) => shownColumns(columns, { isWide: false, namespace: undefined });
  const [link] = shown([{ name: 'Zone', type: 'string', priority: 1 }]);
  assert.deepEqual([link?.name, link?.at], ['Zone', 0]);
  assert.deepEqual(
    shown([]).map(({ at }) => at),
    [0],
  );
});

test('a row says its cells, its namespace, and how old it is', () => {
  const metadata = { name: 'a', namespace: 'ns', resourceVersion: '1' };
  const texts = (row: Row) =>
    shownColumns(COLUMNS, { isWide: true, namespace: 'NS' }).map((column) => shownText(row, column, NOW));
  const made = { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' };
  assert.deepEqual(texts({ cells: ['a\u202E', 7, '3d4h'], object: { metadata: made } }), [
    'ns',
    'a\\u202e',
    '7',
    '60s',
  ]);
  assert.deepEqual(texts({ cells: ['a', 7], object: { metadata: made } }), ['ns', 'a', '7', '60s']);
  // Who does not say when it was made has what the server says.
  assert.deepEqual(texts({ cells: ['a', null, '3d'], object: { metadata } }), ['ns', 'a', '', '3d']);
  const never = { ...metadata, creationTimestamp: null } as unknown as RowMetadata;
  assert.deepEqual(texts({ cells: ['a', null, '3d'], object: { metadata: never } }), ['ns', 'a', '', '3d']);
});

test('a column named Age that tells another age, or none, is shown as the server prints it', () => {
  const metadata = { name: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const text = (type: string, cell: unknown) => {
    const [column] = shownColumns([{ name: 'Age', type, priority: 0 }], { isWide: false, namespace: undefined });
    assert.ok(column !== undefined);
    return shownText({ cells: [cell], object: { metadata } }, column, NOW);
  };
  assert.deepEqual([text('integer', 42), text('string', 'bronze'), text('boolean', true)], ['42', 'bronze', 'true']);
  assert.deepEqual([text('date', '5m'), text('string', '2y1d'), text('string', '<invalid>')], ['60s', '60s', '60s']);
});

test('a row with fewer cells than columns, or more, says what it has, and its name where that is missing', () => {
  const shown = shownColumns(COLUMNS, { isWide: true, namespace: 'NS' });
  const texts = (cells: readonly unknown[]) =>
    shown.map((column) =>
      shownText({ cells, object: { metadata: { name: 'a\u202E', resourceVersion: '1' } } }, column, NOW),
    );
  assert.deepEqual(texts([]), ['', 'a\\u202e', '', '']);
  assert.deepEqual(texts(['', { b: 1 }, false, 'x', 'y']), ['', 'a\\u202e', '{"b":1}', 'false']);
});

test('of a long text its beginning is drawn, whole letters', () => {
  const [column] = shownColumns(COLUMNS, { isWide: false, namespace: undefined });
  assert.ok(column !== undefined);
  const text = (cell: unknown) =>
    shownText({ cells: [cell], object: { metadata: { name: 'a', resourceVersion: '1' } } }, column, NOW);
  assert.equal(text('x'.repeat(1000)), 'x'.repeat(1000));
  assert.equal(text('x'.repeat(2_000_000)), `${'x'.repeat(1000)}\u2026`);
  assert.equal(text(`${'x'.repeat(999)}\u{1F600}\u{1F600}`), `${'x'.repeat(999)}\u2026`);
  assert.equal(text(['x'.repeat(2000)]).length, 1001);
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
