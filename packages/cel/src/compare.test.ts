import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareValues, isEqual } from './compare.ts';
import {
  CelMap,
  codePoints,
  Duration,
  keyOf,
  Optional,
  sizeOf,
  Timestamp,
  typeNameOf,
  TypeValue,
  Uint,
} from './values.ts';
import type { Value } from './values.ts';

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const map = (...entries: readonly (readonly [Value, Value])[]): CelMap => new CelMap(entries);
const uint = (value: bigint): Uint => new Uint(value);
const FREE = { work: (): void => undefined, lengthOf: (text: string): number => text.length };
const BIG = 2n ** 53n + 1n;

// The specification's heterogeneous equality, and cel-go where it leaves doubles beyond 53 bits open.
const EQUAL: readonly [name: string, a: Value, b: Value, expected: boolean][] = [
  ['an int and a uint', 1n, uint(1n), true],
  ['an int and a double', 1n, 1, true],
  ['a uint and a double', uint(1n), 1.5, false],
  ['whole numbers beyond a double', BIG, uint(BIG - 1n), false],
  ['a double beside one of them is as near as a double', BIG, 2 ** 53, true],
  ['zero and minus zero', 0, -0, true],
  ['not a number', Number.NaN, Number.NaN, false],
  ['infinity and the largest int', Infinity, 2n ** 63n - 1n, false],
  ['a text and its number', '1', 1n, false],
  ['texts', 'é', 'e\u0301', false],
  ['bytes', bytes(1, 2), bytes(1, 2), true],
  ['bytes and a list', bytes(1), [1n], false],
  ['bytes of another length', bytes(1), bytes(1, 0), false],
  ['lists of numbers of all sorts', [1n, uint(2n), 3], [1, 2n, uint(3n)], true],
  ['lists in another order', [1n, 2n], [2n, 1n], false],
  ['empty lists', [], [], true],
  ['a list with what is no number', [Number.NaN], [Number.NaN], false],
  ['maps in another order', map(['a', 1n], ['b', 2n]), map(['b', 2], ['a', 1]), true],
  ['maps with keys of another sort', map([1n, 'a']), map([uint(1n), 'a']), true],
  ['a map with less', map(['a', 1n]), map(), false],
  ['a map with another key', map(['constructor', 1n]), map(['toString', 1n]), false],
  ['a map and a list', map(), [], false],
  ['null', null, null, true],
  ['null and false', null, false, false],
  ['truth and one', true, 1n, false],
  ['moments', new Timestamp(1n), new Timestamp(1n), true],
  ['a moment and a span', new Timestamp(1n), new Duration(1n), false],
  ['spans', new Duration(1n), new Duration(2n), false],
  ['types', new TypeValue('int'), new TypeValue('int'), true],
  ['a type and its name', new TypeValue('int'), 'int', false],
  ['nothing and nothing', new Optional(), new Optional(), true],
  ['nothing and something', new Optional(), new Optional(null), false],
  ['something and the same', new Optional(1n), new Optional(1), true],
  ['something and what is in it', new Optional(1n), 1n, false],
];
for (const [name, a, b, expected] of EQUAL)
  test(`equal: ${name}`, () => {
    assert.equal(isEqual(a, b, FREE), expected);
    assert.equal(isEqual(b, a, FREE), expected);
  });

test('deep comparison is counted', () => {
  let units = 0;
  const deep = [[1n, 2n], map(['a', [1n]])];
  isEqual(deep, [[1n, 2n], map(['a', [1n]])], { ...FREE, work: (more) => (units += more) });
  assert.ok(units >= 5, `${units}`);
});

const ORDER: readonly [name: string, a: Value, b: Value, order: number | undefined][] = [
  ['ints beyond a double', BIG, BIG - 1n, 1],
  ['an int and a double', 1n, 1.5, -1],
  ['a negative int and a uint', -1n, uint(0n), -1],
  ['the largest uint and infinity', uint(2n ** 64n - 1n), Infinity, -1],
  ['zero and minus zero', 0, -0, 0],
  ['not a number', Number.NaN, 1n, undefined],
  ['false and true', false, true, -1],
  ['texts', 'a', 'b', -1],
  ['a beginning', 'a', 'ab', -1],
  ['by code points, not by halves', '\u{1F600}', '\uFFFD', 1],
  ['two of the rare', '\u{1F600}', '\u{1F601}', -1],
  ['bytes', bytes(1, 255), bytes(2), -1],
  ['bytes: a beginning', bytes(), bytes(0), -1],
  ['moments', new Timestamp(-1n), new Timestamp(0n), -1],
  ['spans', new Duration(1n), new Duration(1n), 0],
];
for (const [name, a, b, order] of ORDER)
  test(`in order: ${name}`, () => {
    assert.equal(compareValues(a, b), order);
    assert.equal(compareValues(b, a), order === undefined ? undefined : 0 - order);
  });
for (const [a, b] of [
  ['1', 1n],
  [true, 1n],
  [null, null],
  [[], []],
  [map(), map()],
  [new Timestamp(0n), new Duration(0n)],
  [new TypeValue('int'), new TypeValue('int')],
] as const)
  test(`not in any order: ${typeNameOf(a)} and ${typeNameOf(b)}`, () =>
    assert.throws(() => compareValues(a, b), { message: 'no such overload' }));

for (const [value, name] of [
  [1n, 'int'],
  [uint(1n), 'uint'],
  [1, 'double'],
  ['', 'string'],
  [false, 'bool'],
  [null, 'null_type'],
  [[], 'list'],
  [map(), 'map'],
  [bytes(), 'bytes'],
  [new Timestamp(0n), 'google.protobuf.Timestamp'],
  [new Duration(0n), 'google.protobuf.Duration'],
  [new Optional(), 'optional_type'],
  [new TypeValue('int'), 'type'],
] as const)
  test(`a value of type ${name}`, () => assert.equal(typeNameOf(value), name));

for (const [name, value, key] of [
  ['an int', 1n, 1n],
  ['a uint, as the int', uint(1n), 1n],
  ['a whole double, as the int', 2, 2n],
  ['minus zero', -0, 0n],
  ['a large double', 2 ** 70, 2n ** 70n],
  ['a half', 0.5, undefined],
  ['infinity', Infinity, undefined],
  ['not a number', Number.NaN, undefined],
  ['a text', '__proto__', '__proto__'],
  ['a truth', true, true],
  ['null', null, undefined],
  ['a list', [], undefined],
  ['a moment', new Timestamp(0n), undefined],
] as const)
  test(`a key: ${name}`, () => assert.equal(keyOf(value), key));

for (const [name, value, size] of [
  ['an empty text', '', 0],
  ['a text', 'abc', 3],
  ['a text of a rare character', 'a\u{1F600}', 2],
  ['a list', [1n, [2n, 3n]], 2],
  ['bytes', bytes(1, 2, 3), 3],
  ['a map', map(['a', 1n]), 1],
  ['what has no size', 5n, 1],
  ['null', null, 1],
  ['nothing', new Optional(), 1],
  ['a text that there is', new Optional('abc'), 3],
] as const)
  test(`the size of ${name}`, () => assert.equal(sizeOf(value), size));

for (const [name, text, count] of [
  ['none', '', 0],
  ['plain ones', 'aé☃', 3],
  ['pairs', '\u{1F600}\u{1F601}', 2],
  ['a pair at the end', 'a\u{1F600}', 2],
  ['a first half alone', 'a\uD83D', 2],
  ['a second half alone', '\uDE00a', 2],
  ['halves the wrong way round', '\uDE00\uD83D', 2],
  ['two first halves and a second', '\uD83D\uD83D\uDE00', 2],
] as const)
  test(`characters: ${name}`, () => assert.equal(codePoints(text), count));
