import assert from 'node:assert/strict';
import test from 'node:test';
import { customDefinitionSchema } from './custom-schema.ts';
import { V2, V3 } from './dialect.ts';
import type { JsonObject } from './dialect.ts';

/** The one property `x` of a kind. */
function published(x: JsonObject, dialect: typeof V2): unknown {
  const { properties } = customDefinitionSchema({ type: 'object', properties: { x } }, dialect);
  return (properties as JsonObject)['x'];
}

const text = { type: 'string' };

// Provenance: upstream's builder and its conversion to version 2.
for (const [name, given, v2, v3] of [
  [
    'validations',
    { type: 'string', maxLength: 3, pattern: '^a' },
    { type: 'string', maxLength: 3, pattern: '^a' },
    undefined,
  ],
  ['a default', { type: 'integer', default: 3 }, { type: 'integer', default: 3 }, undefined],
  ['a null', { ...text, nullable: true }, {}, { ...text, nullable: true }],
  [
    'anything',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  ],
  ['a list', { type: 'array', items: text }, { type: 'array', items: text }, undefined],
  ['a list of anything', { type: 'array' }, {}, { type: 'array' }],
  ['a map', { type: 'object', additionalProperties: text }, { type: 'object', additionalProperties: text }, undefined],
  [
    'a junctor',
    { type: 'object', oneOf: [{ required: ['a'] }], properties: { a: text } },
    { type: 'object', properties: { a: text } },
    { type: 'object', oneOf: [{ required: ['a'] }], properties: { a: text } },
  ],
  [
    'a number or a text',
    { 'x-kubernetes-int-or-string': true },
    { 'x-kubernetes-int-or-string': true },
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  [
    'a required null',
    { type: 'object', required: ['a', 'b'], properties: { a: { ...text, nullable: true }, b: text } },
    { type: 'object', required: ['b'], properties: { a: {}, b: text } },
    { type: 'object', required: ['a', 'b'], properties: { a: { ...text, nullable: true }, b: text } },
  ],
] as const) {
  test(`${name}, in both versions`, () => {
    assert.deepEqual(published(given, V2), v2);
    assert.deepEqual(published(given, V3), v3 ?? given);
  });
}

test('a kind has what every resource has', () => {
  const { properties } = customDefinitionSchema({ type: 'object', properties: { spec: text } }, V3) as {
    properties: JsonObject;
  };
  assert.deepEqual(Object.keys(properties), ['apiVersion', 'kind', 'metadata', 'spec']);
  const { allOf, description } = properties['metadata'] as JsonObject;
  assert.deepEqual(allOf, [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }]);
  assert.match(String(description), /^Standard object's metadata/, 'beside a reference it would not be read');
});

test('a kind that takes anything says nothing in version 2', () => {
  assert.deepEqual(customDefinitionSchema({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, V2), {
    type: 'object',
  });
});

test('an embedded resource is told as one', () => {
  const embedded = published({ type: 'object', 'x-kubernetes-embedded-resource': true }, V3) as {
    required: string[];
    properties: JsonObject;
  };
  assert.deepEqual(embedded.required, ['kind', 'apiVersion']);
  assert.deepEqual(Object.keys(embedded.properties), ['apiVersion', 'kind', 'metadata']);
});
