import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAmounts, idErrors, isNegativeAmount } from './numbers.ts';

for (const [name, a, b, order] of [
  ['the same text', '1', '1', 0],
  ['the same amount', '1', '1000m', 0],
  ['binary and decimal', '1Gi', '1G', 1],
  ['binary in two words', '1024Mi', '1Gi', 0],
  ['an exponent', '1e3', '1k', 0],
  ['below a thousandth', '1n', '2n', -1],
  ['below a thousandth, the same', '1000n', '1u', 0],
  ['beyond what a number holds exactly', '9007199254740993', '9007199254740992', 1],
  ['the largest', '8Ei', '7Ei', 1],
  ['below zero', '-1', '1', -1],
  ['both below zero', '-2', '-1', -1],
  ['zero and minus zero', '0', '-0', 0],
  ['a fraction', '0.5', '501m', -1],
] as const)
  test(`amounts compared: ${name}`, () => {
    assert.equal(Math.sign(compareAmounts(a, b)), order);
    assert.equal(Math.sign(compareAmounts(b, a)), order === 0 ? 0 : -order);
  });

test('amounts below zero', () => {
  assert.deepEqual(['-1', '-1n', '0', '-0', '1', '-0.0'].map(isNegativeAmount), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('user and group ids', () => {
  const error = ['must be between 0 and 2147483647, inclusive'];
  assert.deepEqual([0, 2_147_483_647, -1, 2_147_483_648].map(idErrors), [[], [], error, error]);
});
