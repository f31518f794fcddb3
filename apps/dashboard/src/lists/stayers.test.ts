import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stayers } from './stayers.ts';

test('as many stay as can, and the one that is held in any case', () => {
  const cases: [present: string, ordered: string, held: string, stay: string][] = [
    ['abcd', 'abcd', '', 'abcd'],
    ['', '', '', ''],
    // Scrolled down: what came stands where what is gone was.
    ['efabcd', 'abcdef', '', 'abcd'],
    ['efabcd', 'abcdef', 'e', 'ef'],
    // One came in between.
    ['abcdx', 'abxcd', '', 'abcd'],
    ['abcdx', 'abxcd', 'x', 'abx'],
    ['dcba', 'abcd', 'b', 'b'],
    // Of what is not among those to be ordered nothing stays.
    ['abz', 'ab', 'z', 'ab'],
  ];
  for (const [present, ordered, held, stay] of cases) {
    const found = [...stayers(present.split(''), ordered.split(''), held === '' ? undefined : held)];
    assert.equal(
      found.toSorted().join(''),
      stay.split('').toSorted().join(''),
      `${present} into ${ordered}, holding ${held}`,
    );
  }
});

test('whatever stood how: once the others are put before their next, all are in order', () => {
  const [count, seed] = [12, 41];
  const ordered = Array.from({ length: count }, (_, at) => at);
  const shuffled = fc.shuffledSubarray(ordered, { minLength: count, maxLength: count });
  fc.assert(
    fc.property(shuffled, fc.option(fc.nat({ max: count - 1 }), { nil: undefined }), (present, held) => {
      const staying = stayers(present, ordered, held);
      assert.ok(held === undefined || staying.has(held));
      let row = [...present];
      for (const thing of ordered.toReversed()) {
        if (staying.has(thing)) continue;
        row = row.filter((each) => each !== thing);
        const next = row.indexOf(thing + 1);
        row.splice(next === -1 ? row.length : next, 0, thing);
      }
      assert.deepEqual(row, ordered);
    }),
    { seed },
  );
});
