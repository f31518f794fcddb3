import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { english } from './english.ts';
import { korean } from './korean.ts';
import type { Texts } from './english.ts';

const NAMES = Object.keys(english) as (keyof Texts)[];
/** What is called the same everywhere; the language says itself how it is called. */
const SHARED: ReadonlySet<string> = new Set(['yaml', 'cpu', 'language']);

test('every text is said in Korean, in its letters', () => {
  deepEqual(Object.keys(korean).toSorted(), NAMES.toSorted());
  const latin = NAMES.filter((name) => !SHARED.has(name) && !/\p{Script=Hangul}/u.test(korean[name]));
  deepEqual(latin, []);
});

test('what is a word of a command, or ends with what comes behind it, is and does so in both', () => {
  const wordsOf = (text: string): readonly string[] => text.match(/`[^`]+`|--[a-z=-]+\w/g) ?? [];
  for (const name of NAMES) {
    deepEqual(wordsOf(korean[name]), wordsOf(english[name]), name);
    const isHead = english[name].endsWith(':');
    ok(!isHead || korean[name].endsWith(':'), name);
  }
});

test('no text is empty, and none begins or ends with a space', () => {
  for (const text of [...Object.values(english), ...Object.values(korean)])
    ok(text !== '' && text === text.trim(), text);
});
