import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deepFreeze } from '@binnacle/base';
import { keptEmpties } from './kept-empties.ts';
import type { SchemaTable } from './table.ts';

const TABLE: SchemaTable = {
  Kind: {
    fields: {
      name: { type: 'string' },
      list: { type: '[]string' },
      gone: { type: '[]string', omitEmpty: true },
      map: { type: '{}string' },
      one: { type: '#Inner', omitEmpty: true, pointer: true },
      many: { type: '[]#Inner', omitEmpty: true },
      named: { type: '{}#Inner', omitEmpty: true },
      again: { type: '#Kind', omitEmpty: true, pointer: true },
      bytes: { type: '{}bytes', omitEmpty: true },
      plain: { type: '#Plain', omitEmpty: true, pointer: true },
    },
  },
  Inner: { fields: { list: { type: '[]#Plain' } } },
  Plain: { fields: { gone: { type: '[]string', omitEmpty: true }, more: { type: '[]#Plain', omitEmpty: true } } },
};
const kept = keptEmpties({ table: TABLE }, 'Kind');

const named = (name: string, value: unknown): object => JSON.parse(`{"${name}":${JSON.stringify(value)}}`) as object;

const ROWS: readonly (readonly [what: string, object: object, rests: object])[] = [
  ['an empty list is null', { name: 'a', list: [] }, { name: 'a', list: null }],
  ['an empty map is null', { map: {} }, { map: null }],
  ['one of a struct', { one: { list: [] } }, { one: { list: null } }],
  ['of items', { many: [{ list: [{}] }, { list: [] }] }, { many: [{ list: [{}] }, { list: null }] }],
  ['of values', { named: named('__proto__', { list: [] }) }, { named: named('__proto__', { list: null }) }],
  ['of the same struct inside', { again: { again: { list: [] } } }, { again: { again: { list: null } } }],
  ['bytes that are null are none', { bytes: { a: null, b: 'YQ==' } }, { bytes: { a: '', b: 'YQ==' } }],
];

for (const [what, object, rests] of ROWS) {
  test(`kept: ${what}`, () => assert.deepEqual(kept(deepFreeze(object)), rests));
}

const SAME: readonly object[] = [
  { name: 'a', list: ['x'], map: { a: '' }, one: { list: [{}] }, many: [], named: {}, bytes: {} },
  { list: null, map: null, one: null },
  { plain: { gone: [], more: [] } },
];

test('kept: what loses nothing is the very same object', () => {
  for (const object of SAME) assert.equal(kept(object), object);
});

test('kept: of a struct that has nothing to forget nothing is looked at', () => {
  const trap = new Proxy({}, { get: () => assert.fail('was read') });
  assert.equal(keptEmpties({ table: TABLE }, 'Plain')(trap), trap);
});

test('kept: what stays is shared with the argument', () => {
  const many = [{ list: [{}] }];
  const object = { list: [], many };
  assert.equal(kept(object).many, many);
  assert.deepEqual(object.list, []);
});
