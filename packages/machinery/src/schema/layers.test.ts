import assert from 'node:assert/strict';
import test from 'node:test';
import { SchemaLayers } from './layers.ts';
import { createSchemaRegistry } from './registry.ts';
import type { SchemaTable } from './table.ts';

const BASE: SchemaTable = {
  'meta.v1.Meta': { fields: { name: { type: 'string', omitEmpty: true } } },
};
const thing = (field: string): SchemaTable => ({
  Thing: {
    fields: {
      metadata: { type: '#meta.v1.Meta' },
      [field]: { type: 'string', omitEmpty: true },
    },
  },
});

test('a layer uses the structs below it, is replaced, and goes away; the base stays as it is', () => {
  const base = createSchemaRegistry(BASE);
  const layers = new SchemaLayers(base);
  assert.equal(layers.struct('Thing'), undefined);
  layers.put('things', thing('size'));
  const input = { metadata: { name: 'a', more: 1 }, size: 'L', colour: 'red' };
  assert.deepEqual(layers.decode('Thing', input).value, { metadata: { name: 'a' }, size: 'L' });
  assert.deepEqual(layers.decodeJson(JSON.stringify(input), 'Thing', 'Strict').problems, [
    'unknown field "metadata.more"',
    'unknown field "colour"',
  ]);
  assert.deepEqual(Object.keys(layers.table), ['meta.v1.Meta', 'Thing']);
  layers.put('things', thing('colour'));
  assert.deepEqual(layers.decode('Thing', input).value, { metadata: { name: 'a' }, colour: 'red' });
  layers.drop('things');
  assert.equal(layers.struct('Thing'), undefined);
  assert.deepEqual(Object.keys(layers.table), ['meta.v1.Meta']);
  assert.deepEqual(layers.decode('meta.v1.Meta', { name: 'a' }).value, { name: 'a' });
});

test('a struct has one owner', () => {
  const layers = new SchemaLayers(createSchemaRegistry(BASE));
  layers.put('one', thing('a'));
  assert.throws(() => layers.put('two', thing('b')), /a struct has one owner/);
  assert.throws(() => layers.put('three', BASE), /a struct has one owner/);
});

test('a registry on top of another finds what is below, and has no copy of it', () => {
  const base = createSchemaRegistry({ 'meta.v1.Meta': { fields: { name: { type: 'string', proto: 1 } } } });
  const top = createSchemaRegistry(thing('size'), base);
  assert.deepEqual(Object.keys(top.table), ['Thing']);
  assert.equal(top.struct('meta.v1.Meta'), base.struct('meta.v1.Meta'));
  assert.equal(top.struct('constructor'), undefined);
  assert.deepEqual(
    [top.hasMessage('meta.v1.Meta'), top.hasMessage('Thing'), top.hasMessage('constructor')],
    [true, false, false],
  );
});

test('kinds that come by the thousand cost little each when their objects are read', () => {
  const layers = new SchemaLayers(createSchemaRegistry(BASE));
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 1000; i++) {
    const name = `Thing${i}`;
    layers.put(name, { [name]: { fields: { a: { type: 'string' } } } });
    assert.deepEqual(layers.decode(name, { a: 'b' }).value, { a: 'b' });
  }
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 8_000_000, `${grown}`);
});
