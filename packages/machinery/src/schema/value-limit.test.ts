import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countValues, limitValues, VALUES_MAX } from './value-limit.ts';

const utf8 = new TextEncoder();

const ROWS: readonly [text: string, values: number][] = [
  ['1', 1],
  ['"a,b[{"', 1],
  ['"a\\",\\\\"', 1],
  ['[]', 1],
  ['{}', 1],
  ['[[],{}]', 3],
  ['[1,2,3]', 4],
  ['{"a":1,"b":[true,null]}', 5],
  ['{"a":{"b":{"c":"d"}}}', 4],
  ['"never ends', 1],
  ['"ends in an escape\\', 1],
  ['[[[[', 5],
];

for (const [text, values] of ROWS) {
  test(`values of ${text}`, () => assert.equal(countValues(utf8.encode(text)), values));
}

test('values: up to the limit, and not one more', () => {
  const list = (count: number): Uint8Array => utf8.encode(`[${Array.from({ length: count }, () => '10').join(',')}]`);
  limitValues(list(VALUES_MAX - 1));
  assert.throws(() => limitValues(list(VALUES_MAX)), { httpCode: 413, message: /limit is 131072 values$/ });
});

test('values: a text of three megabytes is one', () => limitValues(utf8.encode(`{"a":"${','.repeat(3_000_000)}"}`)));
