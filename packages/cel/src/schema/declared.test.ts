import assert from 'node:assert/strict';
import test from 'node:test';
import { formatType } from '../types.ts';
import { declare, occurrencesMax, REQUEST_BYTES_MAX, sizeAt } from './declared.ts';
import { documentValue, valueBySchema } from './document.ts';
import { DocumentMap } from '../values.ts';
import { escapeName } from './escape.ts';

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 10 },
    tags: { type: 'array', maxItems: 7, items: { type: 'string', enum: ['a', 'long'] } },
    sizes: { type: 'object', additionalProperties: { type: 'integer' } },
    'x-y': { type: 'number' },
    unknown: {},
  },
};

test('schemas are types, with the sizes that they bound', () => {
  const declared = declare(SCHEMA, 'selfType');
  assert.ok(declared);
  assert.deepEqual(
    [...(declared.fields ?? [])].map(([name, { type }]) => `${name}: ${formatType(type)}`),
    ['name: string', 'tags: list(string)', 'sizes: map(string, int)', 'x__dash__y: double'],
  );
  assert.deepEqual(sizeAt(declared, ['self', 'name'])?.max, 40);
  assert.deepEqual(sizeAt(declared, ['self', 'tags'])?.max, 7);
  assert.deepEqual(sizeAt(declared, ['self', 'tags', '@items'])?.max, 4);
  assert.deepEqual(sizeAt(declared, ['self', 'sizes'])?.max, Math.floor((REQUEST_BYTES_MAX - 2) / 7));
  assert.equal(sizeAt(declared, ['self', 'nope']), undefined);
  assert.equal(occurrencesMax(declared), Math.floor(REQUEST_BYTES_MAX / (2 + 4 + 2 + 4 + 1)));
});

test('documents are values: integers and doubles by their schema, else by how they are written', () => {
  const value = valueBySchema({ name: 'a', 'x-y': 2, sizes: { __proto__: null, a: 1 }, unknown: [1.5] }, SCHEMA);
  assert.ok(value instanceof DocumentMap);
  assert.equal(value.get('x__dash__y'), 2);
  assert.equal((value.get('sizes') as DocumentMap).get('a'), 1n);
  assert.deepEqual(value.get('unknown'), [1.5]);
  assert.equal(value.get('constructor'), undefined);
  assert.deepEqual(documentValue([1, 1.5, null, 'a']), [1n, 1.5, null, 'a']);
});

test('names are escaped as Kubernetes does', () => {
  assert.deepEqual(['a', 'a-b', 'a.b/c', 'a__b', 'namespace', '1a', 'ä', ''].map(escapeName), [
    'a',
    'a__dash__b',
    'a__dot__b__slash__c',
    'a__underscores__b',
    '__namespace__',
    undefined,
    undefined,
    undefined,
  ]);
});
