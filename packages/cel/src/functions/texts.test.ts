import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, complaint } from '../testing/environment.ts';

/** Expressions that are true; positions are in code points, what is searched for as cel-go v0.26 does. */
const TRUE: readonly [what: string, ...expressions: string[]][] = [
  [
    'nothing is found at any place, be it none of the text',
    "'abc'.indexOf('') == 0 && 'abc'.indexOf('', 2) == 2",
    "'abc'.indexOf('', 7) == 7 && 'abc'.indexOf('', -2) == -2",
    "'abc'.lastIndexOf('') == 3 && ''.lastIndexOf('') == 0",
    "'abc'.lastIndexOf('', 1) == 1 && 'abc'.lastIndexOf('', 9) == 9 && 'abc'.lastIndexOf('', -9) == -9",
  ],
  [
    'the end of a text is behind its last letter',
    "'abc'.indexOf('c', 2) == 2 && 'abc'.indexOf('c', 3) == -1 && 'abc'.indexOf('a', 400) == -1",
    "'abc'.lastIndexOf('c', 2) == 2 && 'abc'.lastIndexOf('c', 3) == -1 && 'abc'.lastIndexOf('a', 400) == -1",
    "'abc'.charAt(3) == '' && ''.charAt(0) == '' && 'abc'.substring(3) == '' && 'abc'.substring(3, 3) == ''",
  ],
  [
    'what is longer than the text is not in it',
    "'a'.indexOf('ab') == -1 && 'a'.lastIndexOf('ab') == -1 && ''.indexOf('a') == -1 && ''.lastIndexOf('a') == -1",
    "'ab'.lastIndexOf('abc', 1) == -1",
  ],
  [
    'the last one begins at the place at the latest',
    "'abcabc'.lastIndexOf('abc') == 3 && 'abcabc'.lastIndexOf('abc', 5) == 3",
    "'abcabc'.lastIndexOf('abc', 3) == 3 && 'abcabc'.lastIndexOf('abc', 2) == 0",
  ],
  [
    'letters beyond the sixteenth bit are one',
    "'😀b😀'.indexOf('b') == 1 && '😀b😀'.indexOf('😀', 1) == 2 && '😀b😀'.lastIndexOf('😀') == 2",
    "'😀b😀'.lastIndexOf('😀', 1) == 0 && '😀b'.charAt(0) == '😀' && '😀b'.substring(1) == 'b' && size('😀b') == 2",
    "'😀b'.split('') == ['😀', 'b'] && '😀b'.replace('', '-') == '-😀-b-'",
  ],
  [
    'so many are replaced, all of them below zero',
    "'aaa'.replace('a', 'b', 0) == 'aaa' && 'aaa'.replace('a', 'b', 2) == 'bba' && 'aaa'.replace('a', 'b', 9) == 'bbb'",
    "'aaa'.replace('a', 'b', -1) == 'bbb' && 'aaa'.replace('x', 'b') == 'aaa' && ''.replace('', 'x') == 'x'",
    "'abc'.replace('', 'X', 2) == 'XaXbc' && 'aaaa'.replace('aa', 'a') == 'aa' && 'a'.replace('a', '$&') == '$&'",
  ],
  [
    'a text is split into so many at the most, into all of them below zero',
    "'a,b,c'.split(',', 0) == [] && 'a,b,c'.split(',', 1) == ['a,b,c'] && 'a,b,c'.split(',', -1) == ['a', 'b', 'c']",
    "'a,b,c'.split(',', 9) == ['a', 'b', 'c'] && ''.split(',') == [''] && ''.split('') == [] && ','.split(',') == ['', '']",
    "'abc'.split('', 2) == ['a', 'bc']",
  ],
  [
    'white space of Unicode is trimmed, at both ends and nowhere else',
    "' \\t\\r\\n\\f\\va b\\u0085\\u00a0\\u2003\\u3000'.trim() == 'a b' && '\\u200ba'.trim() == '\\u200ba' && '  '.trim() == ''",
  ],
  [
    'only letters of ASCII change their case',
    "'AÄSS'.lowerAscii() == 'aÄss' && 'aäßz'.upperAscii() == 'AäßZ' && '\\u212a'.lowerAscii() == '\\u212a'",
  ],
  [
    'nothing is joined to nothing',
    "[].join() == '' && [].join(',') == '' && ['a'].join(',') == 'a' && ['', ''].join('-') == '-'",
  ],
  [
    'a quoted text is what would be written in an expression',
    "strings.quote('a\\n\\\"b\\\\') == '\\\"a\\\\n\\\\\\\"b\\\\\\\\\\\"' && strings.quote('') == '\\\"\\\"'",
  ],
];

for (const [what, ...expressions] of TRUE) {
  test(what, () => {
    for (const expression of expressions) assert.equal(answer(expression), true, expression);
  });
}

test('places that are none are refused in the words of upstream', () => {
  for (const [expression, message] of [
    ["'abc'.charAt(4)", 'index out of range: 4'],
    ["'abc'.charAt(-1)", 'index out of range: -1'],
    ["'abc'.indexOf('a', -1)", 'index out of range: -1'],
    ["'abc'.lastIndexOf('a', -1)", 'index out of range: -1'],
    ["'abc'.substring(4)", 'index out of range: 4'],
    ["'abc'.substring(-1)", 'index out of range: -1'],
    ["'abc'.substring(0, 4)", 'index out of range: 4'],
    ["'abc'.substring(-1, 2)", 'index out of range: -1'],
    ["'abc'.substring(2, 1)", 'invalid substring range. start: 2, end: 1'],
    // The order is looked at first.
    ["'abc'.substring(9, 1)", 'invalid substring range. start: 9, end: 1'],
    ["'abc'.substring(1, -1)", 'invalid substring range. start: 1, end: -1'],
  ] as const) {
    assert.equal(complaint(expression), message, expression);
  }
});
