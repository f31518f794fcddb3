import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, walkInPieces } from '@binnacle/base';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import { asSchema, hasDefault, junctorsOf, membersOf, placesBelow, saysNothing } from './schema-parts.ts';
import { findExpressible } from './schema-validation.ts';
import { partPlaces, schemasToJudge } from './shared-parts.ts';

test('a schema where one stands', () => {
  const schema = { type: 'string' };
  assert.equal(asSchema(schema), schema);
  assert.deepEqual([true, false, null, undefined, 'x', 1, [], [schema]].map(asSchema), Array.from({ length: 8 }));
});

test('members: schemas alone, names of prototypes too', () => {
  const map = JSON.parse('{"a":{},"b":true,"c":null,"constructor":{"type":"string"},"__proto__":{}}') as object;
  const names = membersOf(map as { [name: string]: unknown }).map(([name]) => name);
  assert.deepEqual(names, ['a', 'constructor', '__proto__']);
  assert.deepEqual(membersOf(undefined), []);
});

for (const [value, nothing] of [
  [undefined, true],
  [null, true],
  [false, true],
  ['', true],
  [[], true],
  [0, false],
  [true, false],
  ['x', false],
  [[null], false],
  [{}, false],
] as const)
  test(`${JSON.stringify(value)} says ${nothing ? 'nothing' : 'something'}`, () =>
    assert.equal(saysNothing(value), nothing));

for (const [name, schema, places] of [
  ['nothing', {}, []],
  [
    'one of each',
    {
      additionalProperties: {},
      properties: { constructor: {}, b: {} },
      definitions: { c: {} },
      dependencies: { d: {}, e: ['f'] },
      allOf: [{}],
      not: {},
      items: {},
    },
    [
      ...['additionalProperties', 'properties[constructor]', 'properties[b]', 'definitions[c]', 'dependencies[d]'],
      ...['allOf[0]', 'not', 'items'],
    ],
  ],
  ['a list of schemas of items', { items: [{}, true, {}] }, ['items[0]', 'items[2]']],
  ['truth values', { items: true, additionalProperties: false }, []],
] as const)
  test(`what stands in a schema: ${name}`, () => {
    const found = placesBelow(schema as unknown as JSONSchemaProps, fieldPath('x'));
    assert.deepEqual(
      found.map(([, path]) => path.toString()),
      places.map((place) => `x.${place}`),
    );
  });

test('what says more of a value, in upstream’s order', () => {
  const part = (type: string): JSONSchemaProps => ({ type });
  const schema = { not: part('n'), oneOf: [part('o')], anyOf: [part('a'), part('b')], allOf: [part('l')] };
  assert.deepEqual(
    junctorsOf(schema).map((one) => `${one.junctor}[${one.at}] ${one.part.type}`),
    ['allOf[0] l', 'anyOf[0] a', 'anyOf[1] b', 'oneOf[0] o', 'not[undefined] n'],
  );
  assert.deepEqual(junctorsOf({}), []);
  assert.deepEqual(junctorsOf({ not: null as never, allOf: null as never }), []);
});

const EXPRESSIBLE: readonly [name: string, schema: object, expected: boolean][] = [
  ['nothing', {}, true],
  ['what is structural', { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } }, true],
  ['unknown members stay', { 'x-kubernetes-preserve-unknown-fields': true }, true],
  ['unknown members do not stay, in words', { 'x-kubernetes-preserve-unknown-fields': false }, false],
  ['a list of items', { items: [{ type: 'string' }] }, false],
  ['an empty list of items', { items: [] }, true],
  ['a reference', { $ref: '#/x' }, false],
  ['an empty reference is none', { $ref: '' }, true],
  ['definitions', { definitions: { a: {} } }, false],
  ['an empty map of definitions', { definitions: {} }, true],
  ['dependencies, even none', { dependencies: {} }, false],
  ['patterns of properties', { patternProperties: { '^a': {} } }, false],
  ['additional items that are refused', { additionalItems: false }, false],
  ['within a property', { properties: { constructor: { $ref: 'x' } } }, false],
  ['within items', { items: { $ref: 'x' } }, false],
  ['within all other members', { additionalProperties: { $ref: 'x' } }, false],
  ['any other member', { additionalProperties: true }, true],
  ['within allOf', { allOf: [{}, { $ref: 'x' }] }, false],
  ['within not', { not: { $ref: 'x' } }, false],
];
for (const [name, schema, expected] of EXPRESSIBLE)
  test(`a structural schema can be made of it: ${name}`, () => {
    const so = { holds: true };
    atOnce(walkInPieces(findExpressible(schema, so)));
    assert.equal(so.holds, expected);
  });

const STRING = { type: 'object', properties: { a: { type: 'string' } } };
const NUMBER = { type: 'object', properties: { a: { type: 'integer' } } };
const definition = (...schemas: readonly (JSONSchemaProps | undefined)[]): CustomResourceDefinition => ({
  metadata: {},
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { plural: 'foos', kind: 'Foo' },
    versions: schemas.map((openAPIV3Schema, at) => ({
      name: `v${at + 1}`,
      served: true,
      storage: at === 0,
      ...(openAPIV3Schema === undefined ? {} : { schema: { openAPIV3Schema } }),
    })),
  },
});
const places = (after: CustomResourceDefinition, before?: CustomResourceDefinition): readonly string[] =>
  schemasToJudge(after, before).map(({ path }) => path);
const [SHARED, FIRST, SECOND] = [
  'spec.validation.openAPIV3Schema',
  'spec.versions[0].schema.openAPIV3Schema',
  'spec.versions[1].schema.openAPIV3Schema',
];
for (const [name, after, before, expected] of [
  ['no versions', definition(), undefined, []],
  ['one', definition(STRING), undefined, [SHARED]],
  ['two of the same', definition(STRING, STRING), undefined, [SHARED]],
  ['two', definition(STRING, NUMBER), undefined, [FIRST, SECOND]],
  ['one of two has none', definition(STRING, undefined), undefined, [FIRST]],
  ['none has one', definition(undefined), undefined, []],
  ['it was there', definition(STRING), definition(STRING), []],
  ['it changed', definition(NUMBER), definition(STRING), [SHARED]],
  ['one of two changed', definition(STRING, NUMBER), definition(STRING, STRING), [SECOND]],
  ['a version came with the schema of another', definition(STRING, STRING), definition(STRING), [SHARED]],
] as const)
  test(`schemas that are looked at: ${name}`, () => assert.deepEqual(places(after, before), expected));

test('parts that all versions have in common stand at the top', () => {
  const columns = [{ name: 'a', type: 'string', jsonPath: '.a' }];
  const [one, two] = definition(STRING, NUMBER).spec.versions.map((version) => ({
    ...version,
    additionalPrinterColumns: columns,
  }));
  assert.ok(one !== undefined && two !== undefined);
  const told = (...versions: CustomResourceDefinition['spec']['versions']): readonly string[] =>
    partPlaces(versions, 'additionalPrinterColumns').map(({ path, isShared }) => `${path.toString()} ${isShared}`);
  assert.deepEqual(told(), []);
  assert.deepEqual(told(one, two), ['spec.additionalPrinterColumns true']);
  assert.deepEqual(told(one, { ...two, additionalPrinterColumns: [] }), [
    'spec.versions[0].additionalPrinterColumns false',
    'spec.versions[1].additionalPrinterColumns false',
  ]);
  assert.deepEqual(told({ ...one, additionalPrinterColumns: [] }, definition(STRING).spec.versions[0] ?? one), [
    'spec.additionalPrinterColumns true',
  ]);
});

const FILLED: readonly [name: string, schema: object, expected: boolean][] = [
  ['nothing', {}, false],
  ['null says nothing', { default: null }, false],
  ['false', { default: false }, true],
  ['an empty text', { properties: { constructor: { default: '' } } }, true],
  ['in items', { items: { default: 0 } }, true],
  ['in a list of items', { items: [{}, { default: 0 }] }, true],
  ['in all other members', { additionalProperties: { default: {} } }, true],
  ['in any other member', { additionalProperties: true }, false],
  ['in a part', { oneOf: [{ not: { default: 1 } }] }, true],
  ['in what is not supported', { definitions: { a: { default: 1 } } }, true],
  ['a property called default', { properties: { default: { type: 'string' } } }, false],
];
for (const [name, schema, expected] of FILLED)
  test(`something is filled in: ${name}`, () => assert.equal(hasDefault(schema), expected));
