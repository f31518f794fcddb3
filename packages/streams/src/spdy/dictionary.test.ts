import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spdyDictionary } from './dictionary.ts';

test('the dictionary is the one that zlib streams of SPDY/3 name by its checksum', () => {
  const dictionary = spdyDictionary();
  assert.equal(dictionary.length, 1423);
  let [a, b] = [1, 0];
  for (const byte of dictionary) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  assert.equal(((b << 16) | a) >>> 0, 0xe3c6a7c2);
});
