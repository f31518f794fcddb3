import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINE_BYTES_MAX, WholeLines } from './whole-lines.ts';

const text = (lines: readonly Uint8Array[]): string[] => lines.map((line) => new TextDecoder().decode(line));
const bytes = (of: string): Uint8Array => new TextEncoder().encode(of);

const rows: readonly [string, readonly string[], readonly string[]][] = [
  ['lines of one block', ['a\nb\n'], ['a', 'b']],
  ['a line of several', ['a', 'b', '\nc'], ['ab']],
  ['empty ones', ['\n\n'], ['', '']],
  ['as long as may be', ['x'.repeat(LINE_BYTES_MAX), '\ny\n'], ['x'.repeat(LINE_BYTES_MAX), 'y']],
  ['longer, and what follows it', ['x'.repeat(LINE_BYTES_MAX), 'x', 'x\ny\n'], ['y']],
  ['longer in one block', [`a\n${'x'.repeat(LINE_BYTES_MAX + 1)}\ny\n`], ['a', 'y']],
];

for (const [name, blocks, wanted] of rows)
  test(`whole lines: ${name}`, () => {
    const lines = new WholeLines();
    assert.deepEqual(
      blocks.flatMap((block) => text(lines.push(bytes(block)))),
      wanted,
    );
  });

test('bytes stay as they are, and another file begins anew', () => {
  const lines = new WholeLines();
  assert.deepEqual(lines.push(Uint8Array.of(0xff, 0x0a, 0x61)), [Uint8Array.of(0xff)]);
  lines.reset();
  assert.deepEqual(text(lines.push(bytes('b\n'))), ['b']);
});
