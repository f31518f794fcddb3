import assert from 'node:assert/strict';
import test from 'node:test';
import { createSchemaRegistry } from '../schema/registry.ts';
import { layOver, LayOverError } from './lay-over.ts';
import { shapeOfStruct } from './shape.ts';

const SCHEMAS = createSchemaRegistry({
  Boat: {
    fields: {
      name: { type: 'string' },
      labels: { type: '{}string' },
      crew: { type: '[]#Sailor', listType: 'map', listKeys: ['name'] },
      log: { type: '[]string' },
      hull: { type: '#Hull', atomic: true },
    },
  },
  Sailor: { fields: { name: { type: 'string' }, age: { type: 'int32' }, tools: { type: '[]string' } } },
  Hull: { fields: { length: { type: 'int32' } } },
});
const SHAPE = shapeOfStruct(SCHEMAS, 'Boat');
const LIVE = { name: 'a', labels: { x: '1' }, crew: [{ name: 'ann', age: 30 }], log: ['left'], hull: { length: 5 } };

test('a configuration is merged: maps by key, keyed lists by their keys; the live value stays as it is', () => {
  const before = structuredClone(LIVE);
  const laid = layOver(SHAPE, LIVE, {
    labels: { y: '2' },
    crew: [
      { name: 'ann', age: 31 },
      { name: 'bob', age: 20 },
    ],
  });
  assert.deepEqual(laid, {
    ...LIVE,
    labels: { x: '1', y: '2' },
    crew: [
      { name: 'ann', age: 31 },
      { name: 'bob', age: 20 },
    ],
  });
  assert.deepEqual(LIVE, before);
});

const WRONG: readonly (readonly [configuration: object, message: string])[] = [
  [{ log: ['x'] }, 'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .log'],
  [
    { hull: { length: 6 }, crew: [{ name: 'ann', tools: [] }] },
    'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .hull, .crew[0].tools',
  ],
  [
    { crew: [{ nope: 1 }] },
    'failed to convert patch object to typed object: .crew[0].nope: field not declared in schema',
  ],
  [
    JSON.parse('{"__proto__":{"a":1}}') as object,
    'failed to convert patch object to typed object: .__proto__: field not declared in schema',
  ],
];

for (const [configuration, message] of WRONG) {
  test(`refuses ${JSON.stringify(configuration)}`, () => {
    assert.throws(
      () => layOver(SHAPE, LIVE, configuration),
      (error) => error instanceof LayOverError && error.message === message,
    );
  });
}
