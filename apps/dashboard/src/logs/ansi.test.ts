import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { spansOf } from './ansi.ts';

const ROWS: readonly (readonly [line: string, spans: readonly object[]])[] = [
  ['plain', [{ text: 'plain' }]],
  ['', []],
  ['\u001B[31mred\u001B[0m plain', [{ text: 'red', color: 'red' }, { text: ' plain' }]],
  [
    '\u001B[1;94mbold\u001B[39m still',
    [
      { text: 'bold', bold: true, color: 'blue' },
      { text: ' still', bold: true },
    ],
  ],
  ['\u001B]0;title\u0007text', [{ text: 'text' }]],
  ['a\u001B[2J\u001B[Hb\u0000\u202Ec', [{ text: 'a' }, { text: 'bc' }]],
  ['\u001B[38;5;1mx', [{ text: 'x' }]],
];
for (const [line, spans] of ROWS) test(JSON.stringify(line), () => deepEqual(spansOf(line), spans));
