import assert from 'node:assert/strict';
import { it } from 'node:test';
import { int64Of } from '../../int64.ts';
import { rawJson } from '../../raw-json.ts';
import { isNumber, isWholeDouble } from './number-check.ts';

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

// Provenance: swag.IsFloat64AJSONInteger of github.com/go-openapi/swag v0.23.0.
for (const [value, whole] of [
  [0, true],
  [-3, true],
  [1.5, false],
  [0.0000000001, false],
  [1.0000000000001, true],
  [2.9999999999999996, false],
  [-1.0000000000001, false],
  [2 ** 53 - 1, true],
  [2 ** 53, false],
  [Number.NaN, false],
  [Infinity, false],
] as const)
  it(`an integer to upstream: ${value}`, () => assert.equal(isWholeDouble(value), whole));
