import assert from 'node:assert/strict';
import test from 'node:test';
import { percentage, scaledValue } from './int-or-string.ts';

for (const [value, total, up, down] of [
  ['25%', 10, 3, 2],
  ['100%', 7, 7, 7],
  ['0%', 7, 0, 0],
  [3, 10, 3, 3],
  ['x', 10, undefined, undefined],
] as const) {
  test(`${value} of ${total}`, () => {
    assert.equal(scaledValue(value, total, 'up'), up);
    assert.equal(scaledValue(value, total, 'down'), down);
  });
}

test('percentages', () => {
  assert.equal(percentage('30%'), 30);
  assert.equal(percentage('30'), undefined);
});
