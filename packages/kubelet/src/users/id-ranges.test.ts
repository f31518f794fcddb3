import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IdRange } from '../ports.ts';
import { IdRanges, podIds } from './id-ranges.ts';

const UNIT = 65_536;

for (const [name, told, idsPerPod, pods, wanted] of [
  ['all but the node’s own', undefined, UNIT, 110, { first: UNIT, length: 2 ** 32 - UNIT }],
  ['longer runs', undefined, 2 * UNIT, 110, { first: 2 * UNIT, length: 2 ** 32 - 2 * UNIT }],
  [
    'more pods than there are ids, which no node has',
    undefined,
    UNIT,
    100_000,
    { first: UNIT, length: 2 ** 32 - UNIT },
  ],
  [
    'those kept for the kubelet',
    { first: 3 * UNIT, length: 200 * UNIT },
    UNIT,
    110,
    { first: 3 * UNIT, length: 200 * UNIT },
  ],
  ['just enough', { first: UNIT, length: 110 * UNIT }, UNIT, 110, { first: UNIT, length: 110 * UNIT }],
  ['off the grid', { first: 100_000, length: 200 * UNIT }, UNIT, 110, /assigned ID 100000 is not a multiple of 65536/],
  ['the node’s own', { first: 0, length: 200 * UNIT }, UNIT, 110, /assigned ID 0 must be greater or equal to 65536/],
  ['a run and a half', { first: UNIT, length: 1.5 * UNIT }, UNIT, 1, /IDs length 98304 is not a multiple of 65536/],
  ['too few', { first: UNIT, length: 109 * UNIT }, UNIT, 110, /are not enough to support 110 pods/],
  ['too few because they are long', undefined, 2 ** 30, 110, /are not enough to support 110 pods/],
] satisfies [string, IdRange | undefined, number, number, IdRange | RegExp][])
  test(`ids for pods: ${name}`, () => {
    const look = (): IdRange => podIds({ told, idsPerPod, pods });
    if (wanted instanceof RegExp) assert.throws(look, wanted);
    else assert.deepEqual(look(), wanted);
  });

test('no two pods have an id in common, and what is given back is given again', () => {
  const ranges = new IdRanges({ first: UNIT, length: 3 * UNIT }, UNIT);
  assert.deepEqual(
    ['a', 'b', 'c'].map((uid) => ranges.give(uid)),
    [UNIT, 2 * UNIT, 3 * UNIT],
  );
  assert.throws(() => ranges.give('d'), /could not find an empty slot to allocate a user namespace/);
  ranges.release('b');
  ranges.release('b');
  assert.equal(ranges.of('b'), undefined);
  assert.equal(ranges.give('d'), 2 * UNIT);
  ranges.release('a');
  ranges.release('d');
  assert.equal(ranges.give('e'), UNIT, 'the search goes on where it stopped');
  assert.equal(ranges.of('c'), 3 * UNIT);
});

test('what pods have from before is kept', () => {
  const ranges = new IdRanges({ first: UNIT, length: 3 * UNIT }, UNIT);
  ranges.claim('old', { first: UNIT, length: UNIT });
  assert.equal(ranges.of('old'), UNIT);
  assert.equal(ranges.give('new'), 2 * UNIT);
});

for (const [name, run, wanted] of [
  ['of another length', { first: 2 * UNIT, length: 2 * UNIT }, /wrong user namespace length 131072/],
  ['off the grid', { first: 2 * UNIT + 1, length: UNIT }, /wrong user namespace offset specified 131073/],
  ['the node’s own', { first: 0, length: UNIT }, /id 0 is out of range/],
  ['past the end', { first: 4 * UNIT, length: UNIT }, /id 262144 is out of range/],
  ['another pod’s', { first: UNIT, length: UNIT }, /range picked for pod "new" already taken/],
] satisfies [string, IdRange, RegExp][])
  test(`ids from before that are refused: ${name}`, () => {
    const ranges = new IdRanges({ first: UNIT, length: 3 * UNIT }, UNIT);
    ranges.claim('old', { first: UNIT, length: UNIT });
    assert.throws(() => ranges.claim('new', run), wanted);
    assert.equal(ranges.of('new'), undefined);
  });
