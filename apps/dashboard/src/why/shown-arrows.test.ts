import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_MAX, shownArrows } from './shown-arrows.ts';

const ROWS: readonly (readonly [what: string, count: number, firstMax: number, shown: readonly number[]])[] = [
  ['nothing', 0, 300, [0, 0, 0]],
  ['what fits', 400, 300, [400, 0, 0]],
  ['one too many', 401, 300, [300, 1, 100]],
  ['all that the page keeps', 5000, 300, [300, 4600, 100]],
  ['more of it', 5000, 1300, [1300, 3600, 100]],
  ['all of it', 5000, 4900, [5000, 0, 0]],
];
for (const [what, count, firstMax, [first, left, last]] of ROWS) {
  test(what, () => {
    const all = Array.from({ length: count }, (_, at) => at);
    const shown = shownArrows(all, firstMax);
    deepEqual([shown.first.length, shown.left, shown.last.length], [first, left, last]);
    equal(shown.first[0], all[0]);
    equal((shown.last.length > 0 ? shown.last : shown.first).at(-1), all.at(-1));
  });
}

test('unless somebody asks for more, a picture has its bound', () => {
  const { first, last } = shownArrows(Array.from({ length: 5000 }));
  equal(first.length, FIRST_MAX);
  equal(first.length + last.length, 400);
});
