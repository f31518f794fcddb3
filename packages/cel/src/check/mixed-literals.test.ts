import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { environment } from '../testing/environment.ts';
import { DYN } from '../types.ts';
import { check } from './checker.ts';
import { mixedLiterals } from './mixed-literals.ts';

// cel-go's validator of homogeneous literals: numbers of two sorts are two types, what is not typed is a type of its own.
for (const [source, mistakes] of [
  ['[1, 2]', []],
  ['[]', []],
  ["[1, 'a']", ["4: expected type 'int' but found 'string'"]],
  ['[1, 2u, 3.0]', ["4: expected type 'int' but found 'uint'"]],
  ['[[1], [2u]]', ["6: expected type 'list(int)' but found 'list(uint)'"]],
  [
    "[[1, 'a'], [2]]",
    ["5: expected type 'int' but found 'string'", "11: expected type 'list(dyn)' but found 'list(int)'"],
  ],
  ['[x, 1]', ["4: expected type 'dyn' but found 'int'"]],
  ['[x, x]', []],
  ['[dyn(1), x]', []],
  ["{'a': 1, 'b': 2}", []],
  ["{'a': 1, 2: 2}", ["9: expected type 'string' but found 'int'"]],
  ["{'a': 1, 'b': true}", ["14: expected type 'int' but found 'bool'"]],
  ["{'a': 1, 2: true}", ["9: expected type 'string' but found 'int'", "12: expected type 'int' but found 'bool'"]],
  ['[?optional.of(1), 2]', []],
  ["'%s %d'.format(['a', 1])", []],
  [
    "['a', 1].size() == 1 && [true, null].size() == 2",
    ["6: expected type 'string' but found 'int'", "31: expected type 'bool' but found 'null'"],
  ],
] as const)
  test(`literals of one type: ${source}`, () => {
    const of = { ...environment({ x: DYN }), isHomogeneous: false };
    const { root, types } = check(source, parse(source, of.macros), of);
    assert.deepEqual(
      mixedLiterals(root, types).map(({ at, message }) => `${at}: ${message}`),
      mistakes,
    );
  });
