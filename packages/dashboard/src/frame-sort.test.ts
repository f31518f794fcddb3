import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { isTyped } from './frame-sort.ts';

const ROWS: readonly (readonly [what: string, bytes: readonly number[], isTyped: boolean])[] = [
  ['a text', [0x81, 0x81, 1, 2, 3, 4, 5], true],
  ['bytes', [0x82, 0x82, 1, 2, 3, 4, 5, 6], true],
  ['the first of several pieces', [0x02, 0x81, 1, 2, 3, 4, 5], true],
  ['a further piece', [0x80, 0x81, 1, 2, 3, 4, 5], true],
  ['an answer to a ping', [0x8a, 0x80, 1, 2, 3, 4], false],
  ['a ping', [0x89, 0x80, 1, 2, 3, 4], false],
  ['the end', [0x88, 0x80, 1, 2, 3, 4], false],
  ['nothing', [], false],
];
for (const [what, bytes, expected] of ROWS) test(what, () => equal(isTyped(Uint8Array.from(bytes)), expected));
