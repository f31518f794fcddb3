import assert from 'node:assert/strict';
import test from 'node:test';
import { createSchemaRegistry } from '../schema/registry.ts';
import { compareValues } from './compare.ts';
import { differenceOf, readFieldSet, withoutBranches } from './field-set.ts';
import { writeWireFields } from './wire-fields.ts';
import { fieldsOfNew } from './new-fields.ts';
import { shapeOfStruct } from './shape.ts';

const schemas = createSchemaRegistry({
  Thing: {
    fields: {
      name: { type: 'string', omitEmpty: true },
      meta: { type: '#Meta', pointer: true, omitEmpty: true },
      data: { type: '{}string', omitEmpty: true },
      tags: { type: '[]string', listType: 'set', omitEmpty: true },
      whole: { type: '[]string', omitEmpty: true },
      items: { type: '[]#Meta', listType: 'map', listKeys: ['name'], omitEmpty: true },
      status: { type: '#Meta', pointer: true, omitEmpty: true },
    },
  },
  Meta: { fields: { name: { type: 'string', omitEmpty: true }, labels: { type: '{}string', omitEmpty: true } } },
  Made: {
    fields: {
      spec: { type: '#Spec', omitEmpty: true },
      pointed: { type: '#Spec', pointer: true, omitEmpty: true },
      named: { type: 'string' },
      count: { type: 'int32', pointer: true },
    },
  },
  Spec: {
    fields: {
      items: { type: '[]#Item', listType: 'map', listKeys: ['name'] },
      more: { type: '[]#Item', listType: 'map', listKeys: ['name'], omitEmpty: true },
      inner: { type: '#Inner' },
    },
  },
  Item: { fields: { name: { type: 'string' }, inner: { type: '#Inner' } } },
  Inner: { fields: { x: { type: 'string' }, labels: { type: '{}string', omitEmpty: true } } },
});
const shape = shapeOfStruct(schemas, 'Thing');
const NOBODYS = readFieldSet({ 'f:name': {}, 'f:meta': { '.': {}, 'f:name': {} } });
const STATUS = readFieldSet({ 'f:status': {} });

const VALUES: readonly [name: string, value: object][] = [
  ['nothing', {}],
  ['what nobody owns', { name: 'a', meta: { name: 'b' } }],
  ['beside what nobody owns', { name: 'a', meta: { name: 'b', labels: { x: 'y' } } }],
  ['maps, sets, lists', { data: { b: '1', a: '2', constructor: 'x' }, tags: ['q', 'p'], whole: ['x'] }],
  ['items by key, and one without', { items: [{ name: 'b', labels: { l: '' } }, { name: 'a' }, {}] }],
  ['what holds nothing, and nulls', { data: {}, tags: [], meta: null, items: null }],
  ['a branch that is reset', { status: { name: 'x', labels: { a: 'b' } }, data: { k: 'v' } }],
  ['what is not declared', { other: { a: [1], b: { c: 1 } } }],
];
for (const [name, value] of VALUES) {
  test(`the same as by comparing: ${name}`, () => {
    const { added } = compareValues(shape, undefined, value);
    const wanted = withoutBranches(differenceOf(added, NOBODYS), STATUS);
    const skipped = { ...NOBODYS, ...STATUS };
    assert.equal(JSON.stringify(fieldsOfNew(shape, value, skipped)), JSON.stringify(writeWireFields(wanted)));
  });
}

test('objects with the same fields share what is said of them', () => {
  const one = fieldsOfNew(shape, { data: { a: '1' }, items: [{ name: 'x', labels: { l: 'm' } }] }, NOBODYS);
  const other = fieldsOfNew(shape, { data: { a: '2' }, items: [{ name: 'x', labels: { l: 'n' } }] }, NOBODYS);
  assert.equal(one, other);
  assert.notEqual(fieldsOfNew(shape, { data: { b: '2' } }, NOBODYS), fieldsOfNew(shape, { data: { a: '2' } }, NOBODYS));
});

// As a kube-apiserver v1.36 answers of Deployments and Pods: their `spec`, `template` and `containers` are there before
// anything is said of them, their labels and ports are not.
const MADE: readonly [name: string, value: object, fields: object][] = [
  ['a struct that is always there', { spec: { inner: { x: 'y' } } }, { 'f:spec': { 'f:inner': { 'f:x': {} } } }],
  ['one that says nothing new', { spec: { inner: { x: '' } }, named: '', count: null }, {}],
  [
    'a pointer to one',
    { pointed: { inner: { x: 'y' } } },
    { 'f:pointed': { '.': {}, 'f:inner': { '.': {}, 'f:x': {} } } },
  ],
  ['a zero behind a pointer', { named: 'a', count: 0 }, { 'f:count': {}, 'f:named': {} }],
  [
    'a map that comes',
    { spec: { inner: { labels: { a: 'b' } } } },
    { 'f:spec': { 'f:inner': { 'f:labels': { '.': {}, 'f:a': {} } } } },
  ],
  [
    'lists, and what stands in their items',
    { spec: { items: [{ name: 'a', inner: { x: '' } }], more: [{ name: 'b', inner: { x: 'y' } }] } },
    {
      'f:spec': {
        'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:inner': { '.': {}, 'f:x': {} }, 'f:name': {} } },
        'f:more': {
          '.': {},
          'k:{"name":"b"}': { '.': {}, 'f:inner': { '.': {}, 'f:x': {} }, 'f:name': {} },
        },
      },
    },
  ],
];
for (const [name, value, fields] of MADE) {
  test(`what an object has by itself nobody owns: ${name}`, () => {
    const made = shapeOfStruct(schemas, 'Made');
    assert.equal(
      JSON.stringify(fieldsOfNew(made, value, NOBODYS)),
      JSON.stringify(writeWireFields(readFieldSet(fields))),
    );
  });
}

test('a set that is too large with its fields is refused before it is put in order', () => {
  const tags = (count: number, different: number): object => ({
    tags: Array.from({ length: count }, (_, n) => `t${n % different}`),
  });
  let made = 0;
  const counting = { toJSON: () => `${made++}` };
  const large = { tags: [...Array.from({ length: 70_000 }, (_, n) => `t${n}`), counting] };
  assert.throws(() => fieldsOfNew(shape, large, {}), {
    message: 'Request entity too large: limit is 131072 values',
  });
  assert.equal(made, 0, 'no element was made');
  assert.doesNotThrow(() => fieldsOfNew(shape, tags(130_000, 10), {}));
});
