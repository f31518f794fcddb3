import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utf8Prefix } from './utf8-prefix.ts';

const ROWS: readonly (readonly [name: string, text: string, bytesMax: number, prefix: string])[] = [
  ['nothing', '', 0, ''],
  ['none of it', 'abc', 0, ''],
  ['what is far shorter', 'abc', 100, 'abc'],
  ['what fits to the byte', 'abc', 3, 'abc'],
  ['what fits to the byte in two bytes each', 'éé', 4, 'éé'],
  ['one byte more', 'abcd', 3, 'abc'],
  ['before a character of two bytes', 'éé', 3, 'é'],
  ['before one of three', 'a한한', 6, 'a한'],
  ['before one of four', 'a😀😀', 8, 'a😀'],
  ['not even the first character', '😀', 3, ''],
  ['half a character, which is written as another', '\ud83da', 3, '\ufffd'],
];
for (const [name, text, bytesMax, prefix] of ROWS)
  test(`the beginning of a text: ${name}`, () => assert.equal(utf8Prefix(text, bytesMax), prefix));
