import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../ports.ts';
import { DuplicateKeyError } from '../errors.ts';
import { compareBytes, refuseDuplicates } from './comparison.ts';

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
