import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawnRows, rowWindow } from './row-window.ts';

test('rows in sight and six more on either side, as many wherever one looks', () => {
  const at = (top: number, { count = 10_000, height = 340 } = {}) => {
    const { from, to } = rowWindow(count, { top, height });
    return [from, to];
  };
  assert.deepEqual(at(0), [0, 17]);
  // Safari scrolls beyond its ends.
  assert.deepEqual(at(-200), [0, 17]);
  assert.deepEqual(
    [at(340), at(341), at(373), at(374)],
    [
      [4, 27],
      [4, 27],
      [4, 27],
      [5, 28],
    ],
  );
  assert.deepEqual(at(340_000 - 340), [9984, 10_000]);
  assert.deepEqual(at(999_999), [10_000, 10_000]);
  assert.deepEqual(
    [at(0, { count: 3 }), at(0, { count: 0 }), at(0, { height: 0 })],
    [
      [0, 3],
      [0, 0],
      [0, 7],
    ],
  );
});

test('the row that has the focus is drawn wherever it is, between those that keys lead to from it', () => {
  const window = { from: 10, to: 13 };
  const drawn = (held: number) => drawnRows(window, { count: 100, held });
  assert.deepEqual(drawn(-1), [10, 11, 12]);
  assert.deepEqual(drawn(11), [10, 11, 12]);
  assert.deepEqual(drawn(0), [0, 1, 10, 11, 12]);
  assert.deepEqual(drawn(5), [4, 5, 6, 10, 11, 12]);
  assert.deepEqual(drawn(9), [8, 9, 10, 11, 12]);
  assert.deepEqual(drawn(10), [9, 10, 11, 12]);
  assert.deepEqual(drawn(12), [10, 11, 12, 13]);
  assert.deepEqual(drawn(50), [10, 11, 12, 49, 50, 51]);
  assert.deepEqual(drawn(99), [10, 11, 12, 98, 99]);
  assert.deepEqual(drawnRows({ from: 0, to: 1 }, { count: 1, held: 0 }), [0]);
});
