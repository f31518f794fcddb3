import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { acceptConverted } from './converted-object.ts';

const ORIGINAL: KubeObject = {
  apiVersion: 'ships.io/v1',
  kind: 'Boat',
  metadata: {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '7',
    finalizers: ['f'],
    labels: { old: 'x', bad: 'not valid!' },
  },
};
const SAME = { name: 'a', namespace: 'n', uid: 'u' };
const CONVERTED = { apiVersion: 'ships.io/v2', kind: 'Boat', metadata: SAME, spec: { masts: 1 } };

function accept(change: object): unknown {
  return acceptConverted(ORIGINAL, { ...CONVERTED, ...change }, 'ships.io/v2');
}

test('metadata stays; labels and annotations are what the webhook says', () => {
  const { labels: _labels, ...kept } = ORIGINAL.metadata;
  const metadata = { ...SAME, resourceVersion: '9', finalizers: [], labels: { new: 'y' }, annotations: { a: 'b' } };
  assert.deepEqual(accept({ metadata }), {
    ...CONVERTED,
    metadata: { ...kept, labels: { new: 'y' }, annotations: { a: 'b' } },
  });
  assert.deepEqual(accept({}), { ...CONVERTED, metadata: kept });
});

test('labels that were wrong before may stay as they are', () => {
  const { labels } = ORIGINAL.metadata;
  assert.deepEqual((accept({ metadata: { ...SAME, labels } }) as KubeObject).metadata.labels, labels);
});

// Provenance: apiextensions-apiserver's webhook_converter, v1.36: what clients read of its failures.
for (const [name, change, message] of [
  [
    'another version',
    { apiVersion: 'ships.io/v3' },
    'invalid groupVersion (expected ships.io/v2, received ships.io/v3)',
  ],
  ['another kind', { kind: 'Ship' }, 'invalid kind (expected Boat, received Ship)'],
  ['another name', { metadata: { ...SAME, name: 'b' } }, 'must have the same name: a != b'],
  ['another namespace', { metadata: { ...SAME, namespace: '' } }, 'must have the same namespace: n != '],
  ['another UID', { metadata: { ...SAME, uid: 'v' } }, 'must have the same UID: u != v'],
  [
    'labels that are none',
    { metadata: { ...SAME, labels: ['a'] } },
    'invalid metadata.labels of type []interface {} in converted object',
  ],
  [
    'a label that is no text',
    { metadata: { ...SAME, labels: { a: 1 } } },
    'metadata.labels[a] must be a string, but is int64 in converted object',
  ],
  [
    'an annotation that is no text',
    { metadata: { ...SAME, annotations: { a: null } } },
    'metadata.annotations[a] must be a string, but is <nil> in converted object',
  ],
] as const) {
  test(`refused: ${name}`, () => assert.throws(() => accept(change), { message }));
}

test('refused: no object at all, and labels that cannot be', () => {
  assert.throws(() => acceptConverted(ORIGINAL, 'text', 'ships.io/v2'), { message: 'invalid type string' });
  const labels = { 'a b': 'x' };
  assert.throws(
    () => accept({ metadata: { ...SAME, labels } }),
    /^ConversionAnswerError: metadata\.labels: Invalid value: "a b": /,
  );
});
