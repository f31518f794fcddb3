import { createSchemaRegistry } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { definitionName, definitions } from './definition.ts';
import { V2, V3 } from './dialect.ts';
import type { Dialect } from './dialect.ts';

const registry = createSchemaRegistry({
  'core.v1.A': {
    fields: {
      b: {
        type: '[]#core.v1.B',
        listType: 'map',
        listKeys: ['k'],
        mergeKey: 'k',
        patchStrategy: 'merge',
        required: true,
      },
      own: { type: '#core.v1.B', patchStrategy: 'retainKeys' },
      when: { type: 'Time' },
      size: { type: '{}Quantity' },
      port: { type: 'IntOrString' },
      mode: { type: 'string', enum: ['x', 'y'] },
      data: { type: '{}bytes' },
    },
  },
  'core.v1.B': { fields: { k: { type: 'int64' } }, atomic: true },
});

function properties(dialect: Dialect): { [name: string]: unknown } {
  const all = definitions(registry, ['core.v1.A'], { dialect, kinds: new Map() });
  return (all['io.k8s.api.core.v1.A'] as { properties: { [name: string]: unknown } }).properties;
}

test('names', () => {
  assert.equal(definitionName('core.v1.Pod'), 'io.k8s.api.core.v1.Pod');
  assert.equal(definitionName('meta.v1.ObjectMeta'), 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  assert.equal(
    definitionName('apiregistration.v1.APIService'),
    'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService',
  );
});

test('what a struct refers to is defined too, once', () => {
  const names = Object.keys(definitions(registry, ['core.v1.A'], { dialect: V2, kinds: new Map() }));
  assert.deepEqual(names, [
    'io.k8s.api.core.v1.A',
    'io.k8s.api.core.v1.B',
    'io.k8s.apimachinery.pkg.api.resource.Quantity',
    'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  ]);
});

// Provenance: the swagger of upstream v1.36.
test('fields in version 2', () => {
  assert.deepEqual(properties(V2), {
    b: {
      type: 'array',
      items: { $ref: '#/definitions/io.k8s.api.core.v1.B' },
      'x-kubernetes-list-map-keys': ['k'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'k',
      'x-kubernetes-patch-strategy': 'merge',
    },
    own: { $ref: '#/definitions/io.k8s.api.core.v1.B', 'x-kubernetes-patch-strategy': 'retainKeys' },
    when: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time' },
    size: {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
    },
    port: { $ref: '#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
    mode: { type: 'string', enum: ['x', 'y'] },
    data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
  });
});

test('a reference in version 3 has no company', () => {
  assert.deepEqual(properties(V3)['own'], {
    allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.B' }],
    default: {},
    'x-kubernetes-patch-strategy': 'retainKeys',
  });
});

test('kinds, required fields and atomic maps', () => {
  const kind = { group: '', kind: 'A', version: 'v1' };
  const all = definitions(registry, ['core.v1.A'], { dialect: V3, kinds: new Map([['core.v1.A', [kind]]]) }) as {
    [name: string]: { [name: string]: unknown };
  };
  assert.deepEqual(all['io.k8s.api.core.v1.A']?.['x-kubernetes-group-version-kind'], [kind]);
  assert.deepEqual(all['io.k8s.api.core.v1.A']?.['required'], ['b']);
  assert.equal(all['io.k8s.api.core.v1.B']?.['x-kubernetes-map-type'], 'atomic');
});

// Provenance: the documents of a kube-apiserver v1.36; its version 2 tells no defaults.
test('what is filled in: zeroes that are written, structs, and what the type says', () => {
  const fields = {
    name: { type: 'string' },
    count: { type: 'int32' },
    on: { type: 'bool' },
    part: { type: '#core.v1.B', omitEmpty: true },
    marked: { type: 'string', omitEmpty: true, default: 'TCP' },
    maybe: { type: 'string', omitEmpty: true },
    pointed: { type: '#core.v1.B', pointer: true, omitEmpty: true },
    list: { type: '[]string' },
    when: { type: 'Time' },
  } as const;
  const own = createSchemaRegistry({ 'core.v1.A': { fields }, 'core.v1.B': { fields: {} } });
  const defaultsOf = (dialect: Dialect): object => {
    const all = definitions(own, ['core.v1.A'], { dialect, kinds: new Map() });
    const { properties: shown } = all['io.k8s.api.core.v1.A'] as {
      properties: { [name: string]: { default?: unknown } };
    };
    return Object.fromEntries(
      Object.entries(shown).flatMap(([name, { default: given }]) => (given === undefined ? [] : [[name, given]])),
    );
  };
  assert.deepEqual(defaultsOf(V3), { name: '', count: 0, on: false, part: {}, marked: 'TCP' });
  assert.deepEqual(defaultsOf(V2), {});
});

test('known values stand where the texts are', () => {
  const fields = {
    list: { type: '[]string', enum: ['x'] },
    map: { type: '{}string', enum: ['y'] },
  } as const;
  const own = createSchemaRegistry({ 'core.v1.A': { fields } });
  const all = definitions(own, ['core.v1.A'], { dialect: V3, kinds: new Map() });
  assert.deepEqual((all['io.k8s.api.core.v1.A'] as { properties: object }).properties, {
    list: { type: 'array', items: { type: 'string', enum: ['x'] } },
    map: { type: 'object', additionalProperties: { type: 'string', enum: ['y'] } },
  });
});
