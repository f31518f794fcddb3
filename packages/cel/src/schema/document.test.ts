import assert from 'node:assert/strict';
import test from 'node:test';
import { parseDocument } from '@binnacle/machinery';
import { documentValue } from './document.ts';

for (const [text, value] of [
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9223372036854775808', 2 ** 63],
  ['99999999999999999999', 1e20],
] as const) {
  test(`${text} is ${typeof value === 'bigint' ? 'an integer' : 'a double'}`, () =>
    assert.equal(documentValue(parseDocument(text)), value));
}
