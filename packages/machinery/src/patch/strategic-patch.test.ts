import { deepFreeze } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createSchemaRegistry } from '../schema/registry.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

const registry = createSchemaRegistry({
  Pod: { fields: { meta: { type: '#Meta' }, spec: { type: '#Spec' } } },
  Meta: {
    fields: {
      labels: { type: '{}string' },
      finalizers: { type: '[]string', patchStrategy: 'merge' },
    },
  },
  Spec: {
    fields: {
      containers: { type: '[]#Container', mergeKey: 'name', patchStrategy: 'merge' },
      tolerations: { type: '[]#Container' },
      strategy: { type: '#Strategy', patchStrategy: 'retainKeys' },
      whole: { type: '#Strategy', patchStrategy: 'replace' },
    },
  },
  Container: {
    fields: {
      name: { type: 'string' },
      image: { type: 'string' },
      env: { type: '[]#Container', mergeKey: 'name', patchStrategy: 'merge' },
      args: { type: '[]string' },
    },
  },
  Strategy: { fields: { type: { type: 'string' }, rolling: { type: '#Meta' } } },
});

const LIVE = {
  meta: { labels: { a: '1', b: '2' }, finalizers: ['x', 'y'] },
  spec: {
    containers: [
      { name: 'c1', image: 'i1', env: [{ name: 'A', image: '1' }], args: ['p'] },
      { name: 'c2', image: 'i2' },
    ],
    tolerations: [{ name: 't' }],
    strategy: { type: 'Rolling', rolling: { labels: { a: '1' } } },
    whole: { type: 'x', rolling: {} },
  },
};

function patched(patch: unknown): typeof LIVE {
  return applyStrategicPatch(registry, 'Pod', { document: deepFreeze(LIVE), patch }) as typeof LIVE;
}

// Provenance: upstream's description of strategic merge patch and the behaviour of its strategicpatch package.
const APPLIED: [name: string, patch: unknown, read: (result: typeof LIVE) => unknown, expected: unknown][] = [
  ['maps merge, null deletes', { meta: { labels: { a: null, c: '3' } } }, (r) => r.meta.labels, { b: '2', c: '3' }],
  [
    'lists with a key merge by it',
    { spec: { containers: [{ name: 'c1', image: 'new' }] } },
    (r) => r.spec.containers[0],
    { ...LIVE.spec.containers[0], image: 'new' },
  ],
  [
    'nested lists too; plain lists are replaced',
    { spec: { containers: [{ name: 'c1', env: [{ name: 'B', image: '2' }], args: ['q'] }] } },
    (r) => r.spec.containers[0],
    {
      name: 'c1',
      image: 'i1',
      env: [
        { name: 'B', image: '2' },
        { name: 'A', image: '1' },
      ],
      args: ['q'],
    },
  ],
  [
    'new items come before those of the live list',
    { spec: { containers: [{ name: 'c3' }] } },
    (r) => r.spec.containers.map((c) => c.name),
    ['c3', 'c1', 'c2'],
  ],
  [
    'delete an item',
    { spec: { containers: [{ name: 'c1', $patch: 'delete' }] } },
    (r) => r.spec.containers.map((c) => c.name),
    ['c2'],
  ],
  [
    'replace a list',
    { spec: { containers: [{ name: 'c9' }, { $patch: 'replace' }] } },
    (r) => r.spec.containers,
    [{ name: 'c9' }],
  ],
  [
    'replace a list by one with a key twice',
    { spec: { containers: [{ name: 'c9', image: 'a' }, { name: 'c9' }, { name: 'c1' }, { $patch: 'replace' }] } },
    (r) => r.spec.containers,
    [{ name: 'c9', image: 'a' }, { name: 'c9' }, { name: 'c1' }],
  ],
  ['replace a map', { meta: { labels: { z: '1', $patch: 'replace' } } }, (r) => r.meta.labels, { z: '1' }],
  ['delete a map', { spec: { strategy: { $patch: 'delete' } } }, (r) => r.spec.strategy, {}],
  ['strategy replace', { spec: { whole: { type: 'y' } } }, (r) => r.spec.whole, { type: 'y' }],
  [
    'no strategy: list is replaced',
    { spec: { tolerations: [{ name: 'u' }] } },
    (r) => r.spec.tolerations,
    [{ name: 'u' }],
  ],
  [
    'retainKeys',
    { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    (r) => r.spec.strategy,
    { type: 'Recreate' },
  ],
  ['primitive lists merge', { meta: { finalizers: ['z', 'x'] } }, (r) => r.meta.finalizers, ['z', 'x', 'y']],
  [
    'delete from a primitive list',
    { meta: { '$deleteFromPrimitiveList/finalizers': ['x'] } },
    (r) => r.meta.finalizers,
    ['y'],
  ],
  [
    'the order of elements',
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'c2' }, { name: 'c3' }, { name: 'c1' }],
        containers: [{ name: 'c3' }],
      },
    },
    (r) => r.spec.containers.map((c) => c.name),
    ['c2', 'c3', 'c1'],
  ],
  [
    'the order of primitives with a deletion',
    {
      meta: {
        '$setElementOrder/finalizers': ['z', 'y'],
        '$deleteFromPrimitiveList/finalizers': ['x'],
        finalizers: ['z'],
      },
    },
    (r) => r.meta.finalizers,
    ['z', 'y'],
  ],
];
for (const [name, patch, read, expected] of APPLIED) {
  test(name, () => assert.deepEqual(read(patched(patch)), expected));
}

const REFUSED: [name: string, patch: unknown, code: number][] = [
  ['no object', [], 400],
  ['item without merge key', { spec: { containers: [{ image: 'x' }] } }, 400],
  ['retainKeys that lacks a member', { spec: { strategy: { $retainKeys: [], type: 'x' } } }, 400],
  ['order that is no list', { spec: { '$setElementOrder/containers': 1 } }, 400],
  [
    'order that contradicts the patch',
    { spec: { '$setElementOrder/containers': [{ name: 'c1' }], containers: [{ name: 'c7' }] } },
    400,
  ],
  ['unknown directive', { meta: { $patch: 'spam' } }, 400],
];
for (const [name, patch, code] of REFUSED) {
  test(`refused: ${name}`, () => assert.throws(() => patched(patch), { httpCode: code }));
}

test('what is added whole carries no orders and no nulls', () => {
  const result = applyStrategicPatch(registry, 'Pod', {
    document: {},
    patch: {
      spec: {
        '$setElementOrder/containers': [{ name: 'a' }],
        containers: [
          { name: 'a', image: null },
          { name: 'b', $patch: 'delete' },
        ],
      },
    },
  });
  assert.deepEqual(result, { spec: { containers: [{ name: 'a' }] } });
});
