import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';

const read = (text: string) => parseGoDuration(text, (message) => message);

const GOOD: readonly (readonly [string, number])[] = [
  ['10s', 10_000],
  ['1h0m30s', 3_630_000],
  ['1.5m', 90_000],
  ['500ms', 500],
  ['0', 0],
  ['+0', 0],
  ['0s', 0],
  ['+5s', 5_000],
  ['.5h', 1_800_000],
  ['1.s', 1_000],
  ['1s1s', 2_000],
  ['007s', 7_000],
  ['2500us', 2.5],
  ['2500\u00b5s', 2.5],
  ['2500\u03bcs', 2.5],
  ['1000000ns', 1],
  ['1.123456789012s', 1123.456789012],
  ['2562047h', 2562047 * 3_600_000],
];

/** In the words of Go's library. */
const BAD: readonly (readonly [string, string])[] = [
  ['', 'time: invalid duration ""'],
  ['+', 'time: invalid duration "+"'],
  ['s', 'time: invalid duration "s"'],
  ['.s', 'time: invalid duration ".s"'],
  ['-1s', 'time: invalid duration "-1s"'],
  ['1s-1s', 'time: unknown unit "s-" in duration "1s-1s"'],
  ['++1s', 'time: invalid duration "++1s"'],
  ['10', 'time: missing unit in duration "10"'],
  ['1s2', 'time: missing unit in duration "1s2"'],
  ['5.', 'time: missing unit in duration "5."'],
  ['00', 'time: missing unit in duration "00"'],
  ['1 s', 'time: unknown unit " s" in duration "1 s"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1S', 'time: unknown unit "S" in duration "1S"'],
  ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
  ['1s\n', 'time: unknown unit "s\\n" in duration "1s\\n"'],
  ['2562048h', 'time: invalid duration "2562048h"'],
  [`${'9'.repeat(400)}h`, `time: invalid duration "${'9'.repeat(400)}h"`],
];

for (const [text, ms] of GOOD) test(`${text} is ${ms} ms`, () => assert.equal(read(text), ms));
for (const [text, message] of BAD) {
  test(`refused: ${message.slice(0, 80)}`, () => assert.equal(read(text), message));
}

test('a long one takes no longer than its length', () => {
  const ones = '1s'.repeat(100_000);
  assert.equal(read(ones), 100_000_000);
  assert.match(String(read(`${ones}1`)), /missing unit/);
});

const SHOWN: readonly (readonly [number, string])[] = [
  [0, '0s'],
  [250, '250ms'],
  [1500, '1.5s'],
  [10_000, '10s'],
  [80_000, '1m20s'],
  [300_000, '5m0s'],
  [3_661_000, '1h1m1s'],
];

for (const [ms, text] of SHOWN) test(`${ms} ms is shown as ${text}`, () => assert.equal(formatGoDuration(ms), text));
