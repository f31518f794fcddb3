import assert from 'node:assert/strict';
import test from 'node:test';
import type { SchemaProps } from '@binnacle/machinery/structural';
import { isEqual } from './compare.ts';
import { KeyedList } from './keyed-list.ts';
import { valueBySchema } from './schema/document.ts';
import type { Value } from './values.ts';

const FREE = { work: (): void => undefined, lengthOf: (text: string): number => text.length };

const SETS: readonly (readonly [what: string, items: SchemaProps, one: unknown, other: unknown])[] = [
  ['texts', { type: 'string' }, 'a', 'b'],
  ['doubles', { type: 'number' }, 1.5, 2.5],
  ['moments', { type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['spans', { type: 'string', format: 'duration' }, '1s', '2s'],
  ['bytes', { type: 'string', format: 'byte' }, 'aGk=', 'aG8='],
  ['lists', { type: 'array', items: { type: 'integer' } }, [1, 2], [2, 1]],
  ['objects', { type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' }, { a: 'y' }],
];

for (const [what, items, one, other] of SETS) {
  const set = (...of: readonly unknown[]): Value =>
    valueBySchema(of, { type: 'array', 'x-kubernetes-list-type': 'set', items });

  test(`sets of ${what} are equal in any order, and only then`, () => {
    assert.equal(isEqual(set(one, other), set(other, one), FREE), true);
    assert.equal(isEqual(set(one, other), set(one, other), FREE), true);
    assert.equal(isEqual(set(one), set(other), FREE), false);
  });

  test(`sets of ${what} are joined with each item once`, () => {
    const joined = (set(one) as KeyedList).joined(set(other, one) as readonly Value[]);
    assert.ok(joined instanceof KeyedList);
    assert.equal(isEqual(joined, set(one, other), FREE), true);
  });
}
