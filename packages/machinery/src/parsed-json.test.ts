import assert from 'node:assert/strict';
import { test } from 'node:test';
import { membersOf, parsedJson } from './parsed-json.ts';

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

for (const [what, value, member] of [
  ['an object', { a: 1 }, 1],
  ['one without it', { b: 1 }, undefined],
  ['a list', [1], undefined],
  ['null', null, undefined],
  ['nothing', undefined, undefined],
  ['a text', 'a', undefined],
] as const)
  test(`a member of ${what}`, () => assert.equal(membersOf(value)['a'], member));
