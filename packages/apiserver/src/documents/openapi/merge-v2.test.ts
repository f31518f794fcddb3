import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeV2 } from './merge-v2.ts';

const ref = (name: string): object => ({ $ref: `#/definitions/${name}` });
const OWN = {
  swagger: '2.0',
  paths: { '/api/v1/': { get: {} } },
  definitions: { Meta: { type: 'object' }, Time: { type: 'string' } },
};
const OTHER = {
  paths: {
    '/apis/g/v1/': { get: { schema: ref('Flunder') } },
    '/apis/g/v10/': { get: { schema: ref('Stray') } },
    '/apis/other/v1/': { get: { schema: ref('Stray') } },
  },
  definitions: {
    Flunder: { properties: { meta: ref('Meta'), time: ref('Time'), next: ref('Flunder') } },
    Meta: { type: 'object', more: true },
    Time: { type: 'string' },
    Stray: {},
  },
};

test('only the paths of a prefix come, with what they refer to; names that mean something else are new', () => {
  const merged = mergeV2(OWN, [{ document: OTHER, prefix: '/apis/g/v1' }]);
  assert.deepEqual(Object.keys(merged['paths'] as object), ['/api/v1/', '/apis/g/v1/']);
  assert.deepEqual(merged['definitions'], {
    Flunder: { properties: { meta: ref('Meta_v2'), time: ref('Time'), next: ref('Flunder') } },
    Meta: { type: 'object' },
    Meta_v2: { type: 'object', more: true },
    Time: { type: 'string' },
  });
  assert.deepEqual(OWN.definitions.Meta, { type: 'object' });
});

test('what is no document adds nothing; names that every object has are names', () => {
  const odd = { paths: null, definitions: [] } as never;
  assert.deepEqual(mergeV2(OWN, [{ document: odd, prefix: '/apis/g/v1' }]), OWN);
  const hostile = { paths: { '/apis/g/v1/': { schema: ref('constructor') } }, definitions: {} };
  assert.deepEqual(
    Object.keys(mergeV2(OWN, [{ document: hostile as never, prefix: '/apis/g/v1' }])['definitions'] as object),
    ['Meta', 'Time'],
  );
});

test('circles and depths end', () => {
  let deep: object = ref('Flunder');
  for (let i = 0; i < 5_000; i++) deep = { properties: deep };
  const document = { ...OTHER, definitions: { ...OTHER.definitions, Flunder: deep } };
  assert.ok(Object.hasOwn(mergeV2(OWN, [{ document, prefix: '/apis/g/v1' }])['definitions'] as object, 'Flunder'));
});
