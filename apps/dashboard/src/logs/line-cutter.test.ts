import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { LineCutter } from './line-cutter.ts';

const line = (text: string, isContinued = false) => ({ text, isContinued });

test('lines come as they end, blank ones too; what goes on is the rest', () => {
  const cutter = new LineCutter();
  deepEqual(cutter.take('one\n\ntw'), [line('one'), line('')]);
  deepEqual(cutter.rest, line('tw'));
  deepEqual(cutter.take('o\n'), [line('two')]);
  equal(cutter.rest, undefined);
});

test('a line that is too long is cut, and its pieces say that they go on', () => {
  const cutter = new LineCutter();
  const lines = [...cutter.take('x'.repeat(100_000)), ...cutter.take(`${'y'.repeat(50_000)}\nz\n`)];
  deepEqual(
    lines.map(({ text, isContinued }) => [text.length, isContinued]),
    [
      [65_536, false],
      [65_536, true],
      [18_928, true],
      [1, false],
    ],
  );
});
