import assert from 'node:assert/strict';
import { it } from 'node:test';
import { int64Of } from '../../int64.ts';
import { rawJson } from '../../raw-json.ts';
import { isNumber } from './number-check.ts';

for (const [name, value, expected] of [
  ['a double', 1.5, true],
  ['zero', 0, true],
  ['an integer beyond a double', int64Of(9_007_199_254_740_993n), true],
  ['digits that no double holds', rawJson('1e400'), true],
  ['a text of digits', '1', false],
  ['null', null, false],
  ['nothing', undefined, false],
  ['a boolean', true, false],
  ['an object', { rawJSON: '1' }, false],
  ['a list of one', [1], false],
] as const)
  it(`a number: ${name}`, () => assert.equal(isNumber(value), expected));
