import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowWindow } from './row-window.ts';

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
