import assert from 'node:assert/strict';
import test from 'node:test';
import { createSchemaRegistry } from '../schema/registry.ts';
import { shapeOfStruct } from './shape.ts';
import type { Shape } from './shape.ts';

const schemas = createSchemaRegistry({
  Built: {
    fields: {
      text: { type: 'string' },
      whole: { type: '[]string' },
      set: { type: '[]string', listType: 'set' },
      ports: { type: '[]#Port', listType: 'map', listKeys: ['protocol', 'port'] },
      labels: { type: '{}string' },
      selector: { type: '{}string', atomic: true },
      unit: { type: '#Unit' },
    },
  },
  Port: { fields: { port: { type: 'int32' }, protocol: { type: 'string' } } },
  Unit: { fields: {}, atomic: true },
  Custom: {
    fields: { apiVersion: { type: 'string' }, metadata: { type: '#Built' } },
    structural: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            any: {},
            open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            map: { type: 'object', additionalProperties: { type: 'integer' } },
            unit: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
            either: { 'x-kubernetes-int-or-string': true },
            embedded: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              properties: {
                metadata: { type: 'object', properties: { text: { type: 'string' }, own: { type: 'string' } } },
                spec: { type: 'object', properties: { apiVersion: { type: 'object' } } },
              },
            },
            whole: { type: 'array', items: { type: 'string' } },
            set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
            items: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name', 'kind'],
              items: {
                type: 'object',
                properties: { name: { type: 'string' }, kind: { type: 'string', default: 'A' } },
              },
            },
          },
        },
      },
    },
  },
});

function at(struct: string, ...path: string[]): Shape | undefined {
  let shape: Shape | undefined = shapeOfStruct(schemas, struct);
  for (const name of path) shape = shape?.kind === 'record' ? shape.member(name) : undefined;
  return shape;
}

const ROWS: readonly [path: string, kind: string | undefined][] = [
  ['Built.text', 'leaf'],
  ['Built.whole', 'leaf'],
  ['Built.set', 'set'],
  ['Built.ports', 'keyed'],
  ['Built.labels', 'record'],
  ['Built.labels.constructor', 'leaf'],
  ['Built.selector', 'leaf'],
  ['Built.unit', 'leaf'],
  ['Built.constructor', undefined],
  ['Custom.metadata.text', 'leaf'],
  ['Custom.spec.any', 'open'],
  ['Custom.spec.open.x', 'open'],
  ['Custom.spec.map.x', 'leaf'],
  ['Custom.spec.unit', 'leaf'],
  ['Custom.spec.either', 'leaf'],
  ['Custom.spec.whole', 'leaf'],
  ['Custom.spec.set', 'set'],
  ['Custom.spec.items', 'keyed'],
  ['Custom.spec.embedded.apiVersion', 'leaf'],
  ['Custom.spec.embedded.metadata.ports', 'keyed'],
  ['Custom.spec.embedded.metadata.own', undefined],
  ['Custom.spec.embedded.spec.apiVersion', 'record'],
  ['Custom.spec.embedded.spec.metadata', undefined],
  ['Custom.spec.embedded.kind', undefined],
  ['Custom.spec.apiVersion', undefined],
  ['Custom.spec.other', undefined],
  ['Unknown', 'open'],
];
for (const [path, kind] of ROWS) {
  test(`${path} is ${kind ?? 'not declared'}`, () => {
    const [struct = '', ...names] = path.split('.');
    assert.equal(at(struct, ...names)?.kind, kind);
  });
}

test('keys of lists in order, with their defaults', () => {
  const built = at('Built', 'ports');
  const custom = at('Custom', 'spec', 'items');
  assert.ok(built?.kind === 'keyed' && custom?.kind === 'keyed');
  assert.deepEqual([built.keys, built.defaults['protocol']], [['port', 'protocol'], 'TCP']);
  assert.deepEqual([custom.keys, custom.defaults], [['kind', 'name'], { kind: 'A' }]);
});
