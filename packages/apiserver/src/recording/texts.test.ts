import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTexts, roomFor, writeNarrow, writeWide } from './texts.ts';

type Texts = (string | undefined)[];

/** Through bytes that are full of something else, at a place that is not the first. */
function throughBytes(texts: Texts): { readonly read: Texts; readonly isNarrow: boolean } {
  const bytes = new Uint8Array(roomFor(texts, 2) + 20).fill(0xee);
  const narrow = writeNarrow(bytes, 10, texts);
  const end = narrow ?? writeWide(bytes, 10, texts);
  assert.equal(end - 10, roomFor(texts, narrow === undefined ? 2 : 1), 'they take the room that was said');
  assert.equal(bytes[end], 0xee, 'nothing is written behind them');
  return { read: readTexts(bytes, 10, end), isNarrow: narrow !== undefined };
}

const ROWS: readonly [name: string, texts: Texts, isNarrow: boolean][] = [
  ['none', [], true],
  ['what is not there is not empty', ['', undefined, 'a', undefined, ''], true],
  ['every character of ASCII', [String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))], true],
  ['lengths around a byte', [126, 127, 128, 129, 16_382, 16_383, 16_384].map((n) => 'x'.repeat(n)), true],
  ['Latin letters', ['plain', 'é', 'ÿ'], false],
  ['Korean, emoji, a mark of byte order', ['파드', '🦭', '\ufeff', 'a'], false],
  ['halves of characters', ['\ud800', '\udc00x'], false],
  ['as many as there may be', Array.from({ length: 127 }, (_, at) => `${at}`), true],
];

for (const [name, texts, isNarrow] of ROWS) {
  test(`texts come back as they were: ${name}`, () => assert.deepEqual(throughBytes(texts), { read: texts, isNarrow }));
}

test('a text that is very long is cut, in one form and in the other', () => {
  assert.deepEqual(
    throughBytes(['x'.repeat(40_000), 'y']).read.map((text) => text?.length),
    [32_768, 1],
  );
  assert.deepEqual(
    throughBytes(['é'.repeat(40_000), 'y']).read.map((text) => text?.length),
    [32_768, 1],
  );
});
