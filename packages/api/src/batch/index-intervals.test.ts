import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countIndexes, overlapOf, parseIndexes } from './index-intervals.ts';

// Provenance: upstream pkg/apis/batch/validation/validation.go, validateIndexesFormat.
describe('completion indexes', () => {
  const rows: [text: string, count: number | string][] = [
    ['', 0],
    ['0', 1],
    ['1,3-5,7', 5],
    ['a', 'cannot convert string to integer for index: "a"'],
    ['1-', 'cannot convert string to integer for index: ""'],
    ['10', 'too large index: "10"'],
    ['5-3', 'non-increasing order, previous: 5, current: 3'],
    ['3,3', 'non-increasing order, previous: 3, current: 3'],
    [
      '1-2-3',
      'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
  ];
  for (const [text, expected] of rows) {
    it(text === '' ? 'nothing' : text, () => {
      const parsed = parseIndexes(text, 10);
      assert.equal('error' in parsed ? parsed.error : countIndexes(parsed.intervals), expected);
    });
  }

  it('finds the first index in both', () => {
    const of = (text: string): { first: number; last: number }[] => {
      const parsed = parseIndexes(text, 100);
      return 'error' in parsed ? [] : [...parsed.intervals];
    };
    assert.equal(overlapOf(of('1,3-5'), of('2,6-9')), undefined);
    assert.equal(overlapOf(of('1,3-5,20'), of('2,5-9')), 5);
    assert.equal(overlapOf(of('1-50'), of('7')), 7);
    assert.equal(overlapOf(of(''), of('7')), undefined);
  });
});
