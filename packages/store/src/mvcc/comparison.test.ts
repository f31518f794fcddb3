import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Compare, CompareResult, Operation } from '../ports.ts';
import { DuplicateKeyError } from '../errors.ts';
import { compareBytes, holds, refuseDuplicates } from './comparison.ts';
import type { Entry } from './entry.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

const ORDERS: readonly { name: string; a: Uint8Array; b: Uint8Array; sign: number }[] = [
  { name: 'equal', a: bytes(1, 2), b: bytes(1, 2), sign: 0 },
  { name: 'both empty', a: bytes(), b: bytes(), sign: 0 },
  { name: 'a prefix is smaller', a: bytes(1), b: bytes(1, 0), sign: -1 },
  { name: 'bytes are without sign', a: bytes(0x80), b: bytes(0x7f), sign: 1 },
  { name: 'the first difference decides', a: bytes(1, 9), b: bytes(2, 0), sign: -1 },
];

for (const { name, a, b, sign } of ORDERS) {
  test(`order of bytes: ${name}`, () => {
    assert.equal(Math.sign(compareBytes(a, b)), sign);
    assert.equal(Math.sign(compareBytes(b, a)), sign === 0 ? 0 : -sign);
  });
}

const put = (key: string): Operation => ({ type: 'put', key, value: bytes() });
const remove = (key: string, end?: string): Operation =>
  end === undefined ? { type: 'delete', key } : { type: 'delete', key, end };

const BRANCHES: readonly { name: string; operations: readonly Operation[]; refused: boolean }[] = [
  { name: 'nothing', operations: [], refused: false },
  { name: 'two keys', operations: [put('a'), put('b')], refused: false },
  { name: 'two puts', operations: [put('a'), put('b'), put('a')], refused: true },
  { name: 'put, then delete', operations: [put('a'), remove('a')], refused: true },
  { name: 'delete, then put', operations: [remove('a'), put('a')], refused: true },
  { name: 'put in a deleted range', operations: [remove('a', 'c'), put('b')], refused: true },
  { name: 'put at its end', operations: [remove('a', 'c'), put('c')], refused: false },
  { name: 'put behind an open range', operations: [remove('a', '\0'), put('z')], refused: true },
  { name: 'two deletes', operations: [remove('a'), remove('a', 'c')], refused: false },
  { name: 'reading what is put', operations: [put('a'), { type: 'range', key: 'a' }], refused: false },
];

for (const { name, operations, refused } of BRANCHES) {
  test(`duplicates: ${name}`, () => {
    if (refused) assert.throws(() => refuseDuplicates(operations), DuplicateKeyError);
    else refuseDuplicates(operations);
  });
}

const ENTRY: Entry = {
  key: 'k',
  value: bytes(5, 5),
  createRevision: 3,
  modRevision: 7,
  version: 2,
  lease: 9,
  position: 0,
};
type Asked = Exclude<Compare, { readonly target: 'value' }>['target'];
const number = (target: Asked, result: CompareResult, value: number): Compare => ({ target, key: 'k', result, value });
const value = (result: CompareResult, ...wanted: number[]): Compare => ({
  target: 'value',
  key: 'k',
  result,
  value: bytes(...wanted),
});

// As etcd: what does not exist has zero revisions, version and lease, and no value that could be compared.
const COMPARISONS: readonly [name: string, compare: Compare, there: boolean, absent: boolean][] = [
  ['created at', number('createRevision', 'equal', 3), true, false],
  ['never created', number('createRevision', 'equal', 0), false, true],
  ['changed since', number('modRevision', 'greater', 6), true, false],
  ['not changed after', number('modRevision', 'greater', 7), false, false],
  ['changed before', number('modRevision', 'less', 8), true, true],
  ['not changed before', number('modRevision', 'less', 7), false, true],
  ['another version', number('version', 'notEqual', 2), false, true],
  ['a lease', number('lease', 'equal', 9), true, false],
  ['no lease', number('lease', 'notEqual', 0), true, false],
  ['the same value', value('equal', 5, 5), true, false],
  ['another value', value('notEqual', 5), true, false],
  ['not another value', value('notEqual', 5, 5), false, false],
  ['a smaller value', value('greater', 5), true, false],
  ['a larger value', value('less', 5, 6), true, false],
  ['the empty value', value('equal'), false, false],
];
for (const [name, compare, there, absent] of COMPARISONS) {
  test(`comparison: ${name}`, () => {
    assert.equal(holds(compare, ENTRY), there, 'of a key that is there');
    assert.equal(holds(compare, undefined), absent, 'of a key that is not');
  });
}
