import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, STEERING } from './steering.ts';

const ROWS: readonly (readonly [name: string, text: string, shown: string])[] = [
  ['plain text', 'pods/웹 "x" \u{1f600}', 'pods/웹 "x" \u{1f600}'],
  ['sequences of a terminal', 'a\u001b[2Jb\u009bc', 'a\ufffd[2Jb\ufffdc'],
  ['ends of line', 'a\r\n\tb', 'a\ufffd\ufffd\ufffdb'],
  ['what turns the direction', '\u202ea\u2066b\u061c', '\ufffda\ufffdb\ufffd'],
];

for (const [name, text, shown] of ROWS) test(name, () => assert.equal(harmless(text), shown));

test('what is found is found again: nothing is kept from one text to the next', () => {
  const found = ['\u0007', '\u0007'].map((text) => text.replaceAll(STEERING, ''));
  assert.deepEqual(found, ['', '']);
});
