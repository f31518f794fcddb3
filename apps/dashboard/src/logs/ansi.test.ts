import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import fc from 'fast-check';
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
  ['a\u001B[2J\u001B[Hb\u0000\u202E\u061Cc', [{ text: 'a' }, { text: 'bc' }]],
  ['\u001B[38;5;1mx', [{ text: 'x' }]],
];
for (const [line, spans] of ROWS) test(JSON.stringify(line), () => deepEqual(spansOf(line), spans));

const HOSTILE = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\u001B[',
      '\u001B]0;',
      '\u001BP',
      '\u001B\\',
      '\u0007',
      '\u009B31m',
      '\u202E',
      '<b>',
      ';',
      '31m',
      '\r',
    ),
  ),
);

test('whatever a log says, nothing that steers is drawn, and nothing else is lost', () => {
  fc.assert(
    fc.property(HOSTILE, (parts) => {
      const line = parts.join('').replaceAll('\n', '');
      const drawn = spansOf(line)
        .map(({ text }) => text)
        .join('');
      ok(!/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(drawn), JSON.stringify(line));
      if (!line.includes('\u001B'))
        equal(drawn, line.replaceAll('\t', '    ').replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ''));
    }),
    { seed: 36 },
  );
});

test('a line of a megabyte is drawn in part, in a bounded number of looks, in time that grows with its length', () => {
  const ms = cpuMs(() => {
    for (const piece of ['\u001B[31mx', '\u001B]', '\u001B[', 'x']) {
      const spans = spansOf(piece.repeat(1_000_000 / piece.length));
      ok(spans.length <= 501);
      ok(spans.reduce((sum, { text }) => sum + text.length, 0) <= 20_001);
    }
  });
  ok(ms < 5000, `${ms} ms`);
});
