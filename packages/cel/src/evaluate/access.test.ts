import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CelMap, DocumentMap, Optional, Timestamp, Uint } from '../values.ts';
import type { Value } from '../values.ts';
import { itemAt, memberOf, shownKey, toTruth } from './access.ts';

const map = new CelMap([
  ['a', 1n],
  [2n, 'two'],
  [true, 'yes'],
]);
const document = new DocumentMap(
  JSON.parse('{"a":1,"__proto__":2}') as { readonly [name: string]: unknown },
  (_name, member) => BigInt(member as number),
);
const some = (value: Value): Optional => new Optional(value);
const list = ['x', 'y'];

const MEMBERS: readonly [name: string, value: Value, member: string, expected: Value | undefined][] = [
  ['of a map', map, 'a', 1n],
  ['that is not there', map, 'b', undefined],
  ['that only prototypes have', document, 'constructor', undefined],
  ['called __proto__', document, '__proto__', 2n],
  ['of what is there', some(document), 'a', 1n],
  ['of what is there within what is there', some(some(map)), 'a', 1n],
  ['of nothing', new Optional(), 'a', undefined],
];
for (const [name, value, member, expected] of MEMBERS)
  test(`a member ${name}`, () => assert.equal(memberOf(value, member), expected));
for (const value of [1n, 'a', null, list, some(1n)] as const)
  test(`a member of ${shownKey(value)} is no question`, () =>
    assert.throws(() => memberOf(value, 'a'), { message: 'no such overload' }));

const ITEMS: readonly [name: string, container: Value, key: Value, expected: Value | undefined][] = [
  ['the first', list, 0n, 'x'],
  ['by a uint', list, new Uint(1n), 'y'],
  ['by a whole double', list, 1, 'y'],
  ['under a text', map, 'a', 1n],
  ['under an int', map, 2n, 'two'],
  ['under the same as a double', map, 2, 'two'],
  ['under a truth', map, true, 'yes'],
  ['of what is there', some(list), 1n, 'y'],
  ['of nothing', new Optional(), 7n, undefined],
];
for (const [name, container, key, expected] of ITEMS)
  test(`an item ${name}`, () => {
    assert.equal(itemAt(container, key, false), expected);
    assert.equal(itemAt(container, key, true), expected);
  });

// cel-go's words; what may be missing is nothing where only the item is not there.
const FAILURES: readonly [container: Value, key: Value, message: string, isMissing: boolean][] = [
  [list, 2n, 'index out of bounds: 2', true],
  [list, -1n, 'index out of bounds: -1', true],
  [list, 2n ** 63n - 1n, 'index out of bounds: 9223372036854775807', true],
  [[], 0n, 'index out of bounds: 0', true],
  [list, 0.5, 'unsupported index value 0.5 in list', false],
  [list, 'x', "unsupported index type 'string' in list", false],
  [list, true, "unsupported index type 'bool' in list", false],
  [list, null, "unsupported index type 'null_type' in list", false],
  [list, list, "unsupported index type 'list(dyn)' in list", false],
  [list, map, "unsupported index type 'map(dyn, dyn)' in list", false],
  [list, new Timestamp(0n), "unsupported index type 'google.protobuf.Timestamp' in list", false],
  [map, 'b', 'no such key: b', true],
  [map, 3n, 'no such key: 3', true],
  [map, 0.5, 'no such key: 0.5', true],
  [map, false, 'no such key: false', true],
  [document, 'constructor', 'no such key: constructor', true],
  ['text', 0n, 'no such overload', false],
  [null, 0n, 'no such overload', false],
];
for (const [container, key, message, isMissing] of FAILURES)
  test(message, () => {
    assert.throws(() => itemAt(container, key, false), { message });
    if (isMissing) assert.equal(itemAt(container, key, true), undefined);
    else assert.throws(() => itemAt(container, key, true), { message });
  });

test('truth is true or false', () => {
  assert.deepEqual([toTruth(true), toTruth(false)], [true, false]);
  for (const value of [1n, 'true', null]) assert.throws(() => toTruth(value), { message: 'no such overload' });
});
