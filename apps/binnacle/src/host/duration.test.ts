import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from './duration.ts';

const GOOD: readonly (readonly [string, number])[] = [
  ['10s', 10_000],
  ['1h0m30s', 3_630_000],
  ['1.5m', 90_000],
  ['500ms', 500],
];
const BAD = ['', '10', 's', '-1s', '1s2', '1 s', '1d'];

for (const [text, ms] of GOOD) test(text, () => assert.equal(parseDuration(text), ms));
for (const text of BAD) test(`refused: "${text}"`, () => assert.throws(() => parseDuration(text), /invalid duration/));
