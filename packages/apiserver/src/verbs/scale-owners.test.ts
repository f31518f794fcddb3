import assert from 'node:assert/strict';
import test from 'node:test';
import type { ManagedFieldsEntry } from '@binnacle/machinery';
import { ownersBehindScale, ownersOfScale } from './scale-owners.ts';

const PATH = ['f:spec', 'f:replicas'];
const COUNTED = { path: PATH, apiVersion: 'apps/v1' };

const owner = (manager: string, fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: fieldsV1 as NonNullable<ManagedFieldsEntry['fieldsV1']>,
  ...more,
});
const NUMBER = { 'f:spec': { 'f:replicas': {} } };
const OTHERS = { 'f:spec': { 'f:selector': {} } };
const BOTH = { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:selector': {} } };
const OF_SCALE = { apiVersion: 'autoscaling/v1' };

const SEEN: readonly (readonly [name: string, entries: ManagedFieldsEntry[] | undefined, seen: unknown])[] = [
  ['nobody knows owners', undefined, undefined],
  ['others own others', [owner('a', OTHERS)], []],
  ['one owns the number', [owner('a', OTHERS), owner('b', BOTH)], [owner('b', NUMBER, OF_SCALE)]],
  ['a name that all objects have', [owner('a', { constructor: {} })], []],
];
for (const [name, entries, seen] of SEEN) {
  test(`owners of a Scale: ${name}`, () => assert.deepEqual(ownersOfScale(entries, PATH), seen));
}

const custom = { path: ['f:spec', 'f:size'], apiVersion: 'd.io/v1' };
const BEHIND: readonly (readonly [
  name: string,
  before: ManagedFieldsEntry[],
  scale: ManagedFieldsEntry[],
  after: unknown,
])[] = [
  ['kept', [owner('a', BOTH)], [owner('a', NUMBER, OF_SCALE)], [owner('a', BOTH)]],
  ['lost, with the rest kept', [owner('a', BOTH)], [], [owner('a', { 'f:spec': { '.': {}, 'f:selector': {} } })]],
  ['lost, and with it all', [owner('a', NUMBER)], [], undefined],
  [
    'taken over',
    [owner('a', NUMBER), owner('b', OTHERS)],
    [owner('c', NUMBER, { ...OF_SCALE, subresource: 'scale' })],
    [owner('b', OTHERS), owner('c', NUMBER, { subresource: 'scale' })],
  ],
  [
    'something else of a Scale',
    [owner('b', OTHERS)],
    [owner('c', { 'f:metadata': {} }, OF_SCALE)],
    [owner('b', OTHERS)],
  ],
  [
    'an update in another version is the same owner',
    [owner('a', NUMBER, { operation: 'Update', apiVersion: 'apps/v1beta1' })],
    [owner('a', NUMBER, { operation: 'Update', ...OF_SCALE })],
    [owner('a', NUMBER, { operation: 'Update', apiVersion: 'apps/v1beta1' })],
  ],
];
for (const [name, before, scale, after] of BEHIND) {
  test(`owners behind a Scale: ${name}`, () => assert.deepEqual(ownersBehindScale(before, scale, COUNTED), after));
}

test('a number that lies elsewhere', () => {
  const taken = ownersBehindScale(undefined, [owner('c', NUMBER, OF_SCALE)], custom);
  assert.deepEqual(taken, [owner('c', { 'f:spec': { 'f:size': {} } }, { apiVersion: 'd.io/v1' })]);
});
