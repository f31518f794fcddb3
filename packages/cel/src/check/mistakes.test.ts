/** Mistakes that the checker finds, in cel-go's words, and the place that they point to; more are in `library.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompileError } from '../errors.ts';
import { answer, complaint } from '../testing/environment.ts';

const MISTAKES: readonly (readonly [source: string, at: string, message: string])[] = [
  ['f(1)', '1:2', "undeclared reference to 'f' (in container '')"],
  ["1 + 'a'", '1:3', "found no matching overload for '_+_' applied to '(int, string)'"],
  ['1u + 1', '1:4', "found no matching overload for '_+_' applied to '(uint, int)'"],
  ['!1', '1:1', "found no matching overload for '!_' applied to '(int)'"],
  ['-true', '1:1', "found no matching overload for '-_' applied to '(bool)'"],
  ['size(1)', '1:5', "found no matching overload for 'size' applied to '(int)'"],
  ['1 in 1', '1:3', "found no matching overload for '@in' applied to '(int, int)'"],
  ["true ? 1 : 'a' == 'a'", '1:6', "found no matching overload for '_?_:_' applied to '(bool, int, bool)'"],
  ['[1].all(x, 1)', '1:12', "expected type 'bool' but found 'int'"],
  ["{1: 2, 'a': 3}.size() == 1", '1:8', "expected type 'int' but found 'string'"],
  ['1.b', '1:2', "type 'int' does not support field selection"],
  ['has([1].x)', '1:4', "type 'list(int)' does not support field selection"],
  ["'abc", '1:1', "Syntax error: token recognition error at: ''abc'"],
  ['9223372036854775808', '1:1', 'Syntax error: invalid int literal'],
];

for (const [source, at, message] of MISTAKES) {
  test(`${source}: ${message}`, () => assert.equal(complaint(source), `ERROR: <input>:${at}: ${message}`));
}

const FAILURES: readonly (readonly [source: string, message: string])[] = [
  ['5 % 0 == 1', 'modulus by zero'],
  ['uint(-1) == 1u', 'unsigned integer overflow'],
  ["dyn('a').b == 1", 'no such overload'],
];

for (const [source, message] of FAILURES) {
  test(`${source} fails: ${message}`, () => assert.equal(complaint(source), message));
}

test('each mistake has its line, and a mark under the place, counted in code points', () => {
  const given = answer("'𝄞𝄞' + 1 == 'a' &&\n\n  missing");
  assert.ok(given instanceof CompileError);
  assert.deepEqual(given.message.split('\n'), [
    "ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(string, int)'",
    " | '𝄞𝄞' + 1 == 'a' &&",
    ' | .....^',
    "ERROR: <input>:3:3: undeclared reference to 'missing' (in container '')",
    ' |   missing',
    ' | ..^',
  ]);
});
