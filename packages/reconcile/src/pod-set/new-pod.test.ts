import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podFromTemplate } from './new-pod.ts';

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
const spec = { containers: [{ name: 'c', image: 'i' }] };
const as = { name: 'web-b', prefix: 'web-', namespace: 'ns', owner };
const own = { name: 'web-b', generateName: 'web-', namespace: 'ns', ownerReferences: [owner] };

const rows: readonly (readonly [name: string, metadata: object, more: object])[] = [
  ['nothing but the spec', {}, {}],
  [
    'labels, annotations and finalizers',
    { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'] },
    { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'] },
  ],
  ['no name, namespace or owner of its own', { name: 'x', namespace: 'y', ownerReferences: [] }, {}],
];
for (const [name, metadata, more] of rows) {
  test(`of a template a pod has: ${name}`, () =>
    assert.deepEqual(podFromTemplate({ metadata, spec }, as), { metadata: { ...own, ...more }, spec }));
}
