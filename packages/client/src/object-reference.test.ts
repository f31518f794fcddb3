import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { asReference, referenceTo } from './object-reference.ts';

const metadata = { namespace: 'n', name: 'p', uid: 'u', resourceVersion: '7', labels: { a: 'b' } };

describe('whatever somebody has in hand, as a reference', () => {
  const rows: readonly (readonly [name: string, about: object, wanted: object])[] = [
    [
      'a reference is one',
      { kind: 'Pod', name: 'p', fieldPath: 'spec' },
      { kind: 'Pod', name: 'p', fieldPath: 'spec' },
    ],
    ['nothing is one too', {}, {}],
    [
      'an object',
      { kind: 'Pod', apiVersion: 'v1', metadata, spec: {} },
      { kind: 'Pod', apiVersion: 'v1', namespace: 'n', name: 'p', uid: 'u', resourceVersion: '7' },
    ],
    ['an object out of a list', { metadata: { name: 'p' } }, { name: 'p' }],
    [
      'an object in no namespace',
      { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } },
      { kind: 'Node', apiVersion: 'v1', name: 'n' },
    ],
    ['an object without anything', { metadata: {} }, {}],
  ];
  for (const [name, about, wanted] of rows) test(name, () => assert.deepEqual(asReference(about as never), wanted));
});

test('an object of a known resource', () => {
  const pod = { metadata } as unknown as Pod;
  const wanted = { kind: 'Pod', apiVersion: 'v1', namespace: 'n', name: 'p', uid: 'u', resourceVersion: '7' };
  assert.deepEqual(referenceTo(PODS, pod), wanted);
  assert.deepEqual(referenceTo(PODS, pod, 'spec.containers{c}'), { ...wanted, fieldPath: 'spec.containers{c}' });
  assert.deepEqual(referenceTo(PODS, { metadata: {} } as Pod), { kind: 'Pod', apiVersion: 'v1' });
});
