import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BOOL,
  DURATION,
  DYN,
  ERROR,
  formatType,
  INT,
  isAsGeneral,
  isSameType,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  readType,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from './types.ts';
import type { ObjectType, Type } from './types.ts';

const A: Type = { kind: 'parameter', name: 'A' };
const B: Type = { kind: 'parameter', name: 'B' };
const object = (name: string): ObjectType => ({ kind: 'object', name, field: () => undefined });

for (const [text, type, shown] of [
  ['int', INT, 'int'],
  ['dyn', DYN, 'dyn'],
  ['null', NULL, 'null'],
  ['timestamp', TIMESTAMP, 'timestamp'],
  ['duration', DURATION, 'duration'],
  ['A', A, 'A'],
  ['list(A)', listOf(A), 'list(A)'],
  ['list(list(int))', listOf(listOf(INT)), 'list(list(int))'],
  ['optional(string)', optionalOf(STRING), 'optional_type(string)'],
  ['type(A)', typeOf(A), 'type(A)'],
  ['map(string, dyn)', mapOf(STRING, DYN), 'map(string, dyn)'],
  ['map(A, map(B, list(A)))', mapOf(A, mapOf(B, listOf(A))), 'map(A, map(B, list(A)))'],
  ['list(map(int, optional(bool)))', listOf(mapOf(INT, optionalOf(BOOL))), 'list(map(int, optional_type(bool)))'],
  ['kubernetes.Quantity', { kind: 'plain', name: 'kubernetes.Quantity' }, 'kubernetes.Quantity'],
] as const)
  test(`a type is read and shown: ${text}`, () => {
    assert.deepEqual(readType(text), type);
    assert.equal(formatType(readType(text)), shown);
  });

const SAME: readonly [name: string, a: Type, b: Type, expected: boolean][] = [
  ['the same word', INT, readType('int'), true],
  ['another word', INT, UINT, false],
  ['anything and anything', DYN, readType('dyn'), true],
  ['anything and a mistake', DYN, ERROR, false],
  ['lists', listOf(INT), listOf(INT), true],
  ['lists of others', listOf(INT), listOf(DYN), false],
  ['a list and what may be one', listOf(INT), optionalOf(INT), false],
  ['maps', mapOf(INT, STRING), mapOf(INT, STRING), true],
  ['maps of other keys', mapOf(INT, STRING), mapOf(UINT, STRING), false],
  ['maps of other values', mapOf(INT, STRING), mapOf(INT, DYN), false],
  ['parameters', A, { kind: 'parameter', name: 'A' }, true],
  ['other parameters', A, B, false],
  ['objects by name', object('x'), object('x'), true],
  ['other objects', object('x'), object('y'), false],
  ['an object and a word of its name', object('x'), { kind: 'plain', name: 'x' }, false],
  ['types', typeOf(INT), typeOf(INT), true],
];
for (const [name, a, b, expected] of SAME)
  test(`the same type: ${name}`, () => {
    assert.equal(isSameType(a, b), expected);
    assert.equal(isSameType(b, a), expected);
  });

const GENERAL: readonly [name: string, a: Type, b: Type, expected: boolean][] = [
  ['anything as a number', DYN, INT, true],
  ['a number as anything', INT, DYN, false],
  ['a parameter as a number', A, INT, true],
  ['a number as a parameter', INT, A, false],
  ['anything as a parameter', DYN, A, true],
  ['two words', INT, UINT, false],
  ['the same word', INT, INT, true],
  ['a list of anything as a list', listOf(DYN), listOf(INT), true],
  ['a list as a list of anything', listOf(INT), listOf(DYN), false],
  ['a list as what may be', listOf(DYN), optionalOf(INT), false],
  ['a map: keys count', mapOf(DYN, INT), mapOf(INT, INT), true],
  ['a map: one part less general', mapOf(DYN, INT), mapOf(INT, DYN), false],
  ['what may be', optionalOf(DYN), optionalOf(INT), true],
  ['types of all sorts', typeOf(INT), typeOf(STRING), true],
  ['a type as a word', typeOf(INT), INT, false],
  ['what null may stand for', DURATION, NULL, true],
  ['null as what it may stand for', NULL, DURATION, false],
  ['objects', object('x'), object('x'), true],
];
for (const [name, a, b, expected] of GENERAL)
  test(`as general: ${name}`, () => assert.equal(isAsGeneral(a, b), expected));
