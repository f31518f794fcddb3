import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { keysOf, Schemas, typeOf, valuesOf } from './schema.ts';

const schemas = new Schemas({
  components: {
    schemas: {
      'io.k8s.Pod': {
        type: 'object',
        properties: {
          metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.Meta' }], description: 'standard' },
          spec: { $ref: '#/components/schemas/io.k8s.Spec' },
        },
        'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
      },
      'io.k8s.Meta': {
        type: 'object',
        description: 'own',
        properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
      },
      'io.k8s.Spec': {
        type: 'object',
        required: ['containers'],
        properties: {
          hostNetwork: { type: 'boolean' },
          policy: { type: 'string', enum: ['Always', 'Never'] },
          containers: { type: 'array', items: { $ref: '#/components/schemas/io.k8s.Spec' } },
        },
      },
    },
  },
});
const root = schemas.rootOf({ group: '', version: 'v1', kind: 'Pod' }) ?? {};

test('places are followed over references, items and maps', () => {
  equal(schemas.at(root, ['metadata'])?.description, 'standard');
  equal(schemas.at(root, ['metadata', 'labels', 'app'])?.type, 'string');
  deepEqual(valuesOf(schemas.at(root, ['spec', 'containers', '[]', 'policy']) ?? {}), ['Always', 'Never']);
  equal(schemas.at(root, ['spec', 'constructor']), undefined);
  equal(schemas.at(root, ['spec', 'nowhere', 'x']), undefined);
  equal(schemas.rootOf({ group: '', version: 'v1', kind: 'constructor' }), undefined);
});

test('keys with their types, the required ones first', () => {
  deepEqual(
    keysOf(schemas, schemas.at(root, ['spec']) ?? {}).map(({ name, type }) => `${name} ${type}`),
    ['containers []object', 'hostNetwork boolean', 'policy string'],
  );
  deepEqual(
    [typeOf({ type: 'object', additionalProperties: true }), valuesOf({ type: 'boolean' })],
    ['map', ['true', 'false']],
  );
  deepEqual(valuesOf({ enum: ['a', 'b', 'a'] }), ['a', 'b']);
});
