import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ageText, cellText } from './cell-text.ts';

const ROWS: readonly (readonly [seconds: number, text: string])[] = [
  [-5, '0s'],
  [119, '119s'],
  [120, '2m'],
  [130, '2m10s'],
  [600, '10m'],
  [10_800, '3h'],
  [11_000, '3h3m'],
  [30_000, '8h'],
  [172_800, '2d'],
  [8_640_000, '100d'],
  [2 * 31_536_000 + 86_400, '2y1d'],
  [9 * 31_536_000 + 86_400, '9y'],
];
for (const [seconds, text] of ROWS) test(`${seconds} seconds`, () => equal(ageText(0, seconds * 1000), text));

test('cells', () => {
  equal(cellText('a'), 'a');
  equal(cellText(1), '1');
  equal(cellText(undefined), '');
  equal(cellText(['a']), '["a"]');
});
