import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamProtocolError } from '../errors.ts';
import { decodeHeaderBlock, encodeHeaderBlock } from './header-block.ts';

test('headers go there and back, whatever they are called', () => {
  const headers = Object.fromEntries([
    ['streamtype', 'stdin'],
    ['__proto__', 'x'],
    ['empty', ''],
    ['größe', 'ü'],
  ]);
  assert.deepEqual(decodeHeaderBlock(encodeHeaderBlock(headers)), headers);
  assert.deepEqual(decodeHeaderBlock(encodeHeaderBlock({ StreamType: 'error' })), { streamtype: 'error' });
});

const ROWS: readonly [name: string, bytes: readonly number[]][] = [
  ['nothing at all', []],
  ['a name beyond the end', [0, 0, 0, 1, 0, 0, 0, 9, 65]],
  ['a length beyond any memory', [0, 0, 0, 1, 255, 255, 255, 255]],
  ['more headers than anybody sends', [255, 255, 255, 255]],
  ['a value that is missing', [0, 0, 0, 1, 0, 0, 0, 1, 65]],
];

for (const [name, bytes] of ROWS) {
  test(`refused: ${name}`, () => {
    assert.throws(() => decodeHeaderBlock(new Uint8Array(bytes)), StreamProtocolError);
  });
}
