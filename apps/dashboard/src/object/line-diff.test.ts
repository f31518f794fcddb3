import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { changedPart, diffLines } from './line-diff.ts';

const show = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ sign, text }) => sign + text)
    .join('|');

for (const [before, after, wanted] of [
  ['a\nb', 'a\nb', ' a| b'],
  ['a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
  ['a\nc', 'a\nb\nc', ' a|+b| c'],
  ['a\nb\nc', 'a\nc', ' a|-b| c'],
  ['a\nb\nc\nd', 'b\nd\ne', '-a| b|-c| d|+e'],
  ['', 'a', '-|+a'],
] as const) {
  test(`${JSON.stringify(before)} → ${JSON.stringify(after)}`, () => equal(show(before, after), wanted));
}

test('far lines that are the same are left out', () => {
  const before = Array.from({ length: 30 }, (_, at) => `${at}`);
  const after = before.with(2, 'x').with(20, 'y');
  const shown = changedPart(diffLines(before.join('\n'), after.join('\n')), 1);
  equal(shown.map(({ sign, text }) => sign + text).join('|'), ' 1|-2|+x| 3| ⋯| 19|-20|+y| 21');
});

test('very long texts are told as a whole', () => {
  const long = Array.from({ length: 5000 }, (_, at) => `${at}`);
  equal(diffLines(long.join('\n'), long.toReversed().join('\n')).length, 10_000);
});
