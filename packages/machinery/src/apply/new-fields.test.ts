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
      name: { type: 'string' },
      meta: { type: '#Meta' },
      data: { type: '{}string' },
      tags: { type: '[]string', listType: 'set' },
      whole: { type: '[]string' },
      items: { type: '[]#Meta', listType: 'map', listKeys: ['name'] },
      status: { type: '#Meta' },
    },
  },
  Meta: { fields: { name: { type: 'string' }, labels: { type: '{}string' } } },
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
