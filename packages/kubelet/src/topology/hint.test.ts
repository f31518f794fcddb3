import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOf, countOf, isNarrower, isWithin, nodeSet, possibleHints } from './hint.ts';

test('sets of nodes', () => {
  assert.deepEqual([countOf(0), countOf(0b1011), allOf(3)], [0, 3, 0b111]);
  assert.equal(nodeSet([0, 2, 9], [9, 0, 5]), 0b101);
  assert.deepEqual(
    [isWithin(0b101, [0, 2, 9], 9), isWithin(0b101, [0, 2, 9], 2), isWithin(1, [0], 7)],
    [true, false, false],
  );
  assert.deepEqual([isNarrower(0b100, 0b011), isNarrower(0b011, 0b101), isNarrower(0b101, 0b011)], [true, true, false]);
});

test('hints: the smallest sets that could do on an empty machine are preferred, also where they cannot do now', () => {
  const hints = possibleHints(0b11, { couldEver: () => true, canNow: (set) => set === 0b11 });
  assert.deepEqual(hints, [{ nodes: 0b11, isPreferred: false }]);
  const large = possibleHints(0b11, { couldEver: (set) => countOf(set) > 1, canNow: () => true });
  assert.deepEqual(large, [{ nodes: 0b11, isPreferred: true }]);
  assert.deepEqual(possibleHints(0b11, { couldEver: () => false, canNow: () => true }), []);
});
