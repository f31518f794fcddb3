import assert from 'node:assert/strict';
import test from 'node:test';
import { Int64 } from '../int64.ts';
import { createSchemaRegistry } from '../schema/registry.ts';
import { fieldsListed } from './configuration.ts';
import { shapeOfStruct } from './shape.ts';
import { writeWireFields } from './wire-fields.ts';

const schemas = createSchemaRegistry({
  Boat: {
    fields: {
      name: { type: 'string' },
      afloat: { type: 'bool' },
      tons: { type: 'int64' },
      draught: { type: 'Quantity' },
      built: { type: 'Time' },
      labels: { type: '{}string' },
      marks: { type: '[]string', listType: 'set' },
      crew: { type: '[]#Sailor', listType: 'map', listKeys: ['name'] },
      log: { type: '[]string' },
      holds: { type: '[]#Hull' },
      hull: { type: '#Hull', atomic: true },
      keel: { type: '#Keel' },
      selector: { type: '{}string', atomic: true },
    },
  },
  Sailor: { fields: { name: { type: 'string' }, age: { type: 'int32' } } },
  Hull: { fields: { length: { type: 'int32' }, crew: { type: '[]#Sailor', listType: 'map', listKeys: ['name'] } } },
  Keel: { atomic: true, fields: { deep: { type: 'bool' }, below: { type: '#Keel' } } },
  Custom: {
    fields: { kind: { type: 'string' } },
    structural: {
      type: 'object',
      properties: {
        count: { type: 'integer' },
        part: { type: 'number' },
        day: { type: 'string', format: 'date' },
        text: { type: 'string' },
        either: { 'x-kubernetes-int-or-string': true },
        rows: { type: 'array', items: { type: 'object', properties: { a: { type: 'boolean' } } } },
        unit: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
        unsaid: { type: 'object' },
      },
    },
  },
});

const MISTAKES: readonly (readonly [struct: string, configuration: object, told: string])[] = [
  ['Boat', { name: 1 }, '.name: expected string, got &value.valueUnstructured{Value:1}'],
  ['Boat', { name: [1] }, '.name: expected string, got &value.valueUnstructured{Value:[]interface {}{1}}'],
  ['Boat', { labels: { a: true } }, '.labels.a: expected string, got &value.valueUnstructured{Value:true}'],
  ['Boat', { tons: 'x' }, '.tons: expected numeric (int or float), got string'],
  ['Boat', { tons: {} }, '.tons: expected numeric (int or float), got map[string]interface {}'],
  ['Boat', { afloat: 'true' }, '.afloat: expected boolean, got &{true}'],
  ['Boat', { labels: 'x' }, '.labels: expected map, got &{x}'],
  ['Boat', { log: { a: 1 } }, '.log: expected list, got &{map[a:1]}'],
  ['Boat', { log: ['a', 2] }, '.log[1]: expected string, got &value.valueUnstructured{Value:2}'],
  ['Boat', { marks: [1] }, '.marks[=1]: expected string, got &value.valueUnstructured{Value:1}'],
  [
    'Boat',
    { marks: ['a', null] },
    ".marks: element 1: associative list without keys has an element that's an explicit null",
  ],
  ['Boat', { crew: [{ name: 'a', age: 'x' }] }, '.crew[name="a"].age: expected numeric (int or float), got string'],
  ['Boat', { holds: [{ lenght: 1 }] }, '.holds[0].lenght: field not declared in schema'],
  ['Boat', { hull: { lenght: 1 } }, '.hull.lenght: field not declared in schema'],
  ['Boat', { hull: { crew: [{ name: 'a' }, { name: 'a' }] } }, '.hull.crew: duplicate entries for key [name="a"]'],
  ['Boat', { hull: [] }, '.hull: expected map, got &{[]}'],
  ['Boat', { keel: { below: { below: { deeep: true } } } }, '.keel.below.below.deeep: field not declared in schema'],
  ['Boat', { selector: { a: 1 } }, '.selector.a: expected string, got &value.valueUnstructured{Value:1}'],
  [
    'Boat',
    { afloat: 1, tons: true, name: 'x' },
    'errors:\n  .afloat: expected boolean, got &{1}\n  .tons: expected numeric (int or float), got bool',
  ],
  ['Custom', { count: '1' }, '.count: expected numeric (int or float), got string'],
  ['Custom', { part: false }, '.part: expected numeric (int or float), got bool'],
  ['Custom', { day: {} }, '.day: expected any scalar, got &{map[]}'],
  ['Custom', { rows: [{ a: true }, { b: 1 }] }, '.rows[1].b: field not declared in schema'],
  ['Custom', { unit: { b: '' } }, '.unit.b: field not declared in schema'],
];
for (const [struct, configuration, told] of MISTAKES) {
  test(`refused: ${told}`, () => {
    assert.throws(() => fieldsListed(shapeOfStruct(schemas, struct), configuration), { message: told });
  });
}

const LISTED: readonly (readonly [struct: string, configuration: object, listed: object])[] = [
  ['Boat', { tons: new Int64(2n ** 62n), draught: 1, built: 'x' }, { 'f:tons': {}, 'f:draught': {}, 'f:built': {} }],
  ['Boat', { hull: { length: null }, name: null }, { 'f:hull': {}, 'f:name': {} }],
  [
    'Custom',
    { day: 1, either: 'x', unsaid: { a: { b: 1 } } },
    { 'f:day': {}, 'f:either': {}, 'f:unsaid': { 'f:a': { '.': {}, 'f:b': {} } } },
  ],
];
for (const [struct, configuration, listed] of LISTED) {
  test(`taken: ${JSON.stringify(configuration)}`, () => {
    assert.deepEqual(writeWireFields(fieldsListed(shapeOfStruct(schemas, struct), configuration)), listed);
  });
}

test('of very many mistakes, below a name of a megabyte, the first are told', () => {
  const wrong = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key-${n}`, n]));
  const shape = shapeOfStruct(schemas, 'Boat');
  for (const configuration of [
    { labels: wrong },
    { labels: { ['x'.repeat(1 << 20)]: 1 } },
    { log: Object.keys(wrong).map(() => 1) },
  ])
    assert.throws(
      () => fieldsListed(shape, configuration),
      ({ message }: Error) => message.length < 40_000,
    );
});
