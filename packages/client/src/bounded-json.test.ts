import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedJson } from './bounded-json.ts';

const ROWS: readonly unknown[] = [
  null,
  'text "quoted"',
  [],
  {},
  [1, [2, {}], 'a'],
  { a: 1, gone: undefined, b: [{ c: true }], __proto__: null },
];

for (const row of ROWS) {
  test(`what fits is JSON: ${JSON.stringify(row)}`, () => {
    assert.equal(boundedJson(row, 1000), JSON.stringify(row));
  });
}

test('what does not fit is cut, and costs no more than what is shown', () => {
  let read = 0;
  const items = Array.from({ length: 100_000 }, (_, i) => ({
    get name() {
      read++;
      return `pod-${i}`;
    },
  }));
  const text = boundedJson({ items }, 100);
  assert.equal(text.length, 102);
  assert.ok(text.startsWith('{"items":[{"name":"pod-0"}'));
  assert.ok(read < 10, `${read} items were read`);
  assert.equal(boundedJson('x'.repeat(1_000_000), 100).length, 102);
});
