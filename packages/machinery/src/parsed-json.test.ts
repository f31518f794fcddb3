import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedJson } from './parsed-json.ts';

const rows: readonly [text: string, value: unknown][] = [
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['0', 0],
  ['', undefined],
  ['{', undefined],
  ['undefined', undefined],
];
for (const [text, value] of rows)
  test(`the text ${JSON.stringify(text)}`, () => assert.deepEqual(parsedJson(text), value));
