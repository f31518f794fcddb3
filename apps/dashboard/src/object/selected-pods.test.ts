import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { selectedPods } from './selected-pods.ts';

const metadata = { name: 'a', resourceVersion: '1' };
const labels = (text: string) => ({ labels: text, fields: '' });
const expressions = [
  { key: 'tier', operator: 'In', values: ['a', 'b'] },
  { key: 'zone', operator: 'NotIn', values: ['c'] },
  { key: 'gpu', operator: 'Exists' },
  { key: 'old', operator: 'DoesNotExist' },
];
const ROWS: readonly (readonly [name: string, parts: object, pods: object | undefined])[] = [
  ['a node', { kind: 'Node', apiVersion: 'v1' }, { labels: '', fields: 'spec.nodeName=a' }],
  ['a node of others', { kind: 'Node', apiVersion: 'other/v1' }, undefined],
  ['a Service', { spec: { selector: { app: 'web', tier: 'front' } } }, labels('app=web,tier=front')],
  ['a Service without a selector', { spec: {} }, undefined],
  ['a set', { spec: { selector: { matchLabels: { app: 'web' } } } }, labels('app=web')],
  [
    'expressions',
    { spec: { selector: { matchLabels: { a: 'b' }, matchExpressions: expressions } } },
    labels('a=b,tier in (a,b),zone notin (c),gpu,!old'),
  ],
  [
    'a claim, which selects volumes',
    { kind: 'PersistentVolumeClaim', spec: { selector: { matchLabels: { disk: 'ssd' } } } },
    undefined,
  ],
  ['a policy', { spec: { podSelector: { matchLabels: { app: 'web' } } } }, labels('app=web')],
  ['a policy over all', { spec: { podSelector: {} } }, undefined],
  ['a label called matchLabels', { spec: { selector: { matchLabels: 'x' } } }, labels('matchLabels=x')],
  ['other shapes', { spec: { selector: ['a', { key: 5 }] } }, undefined],
  ['expressions of other shapes', { spec: { selector: { matchExpressions: [null, 1, {}, { key: 'a' }] } } }, undefined],
];
for (const [name, parts, pods] of ROWS) {
  test(name, () => deepEqual(selectedPods({ apiVersion: 'v1', kind: 'X', metadata, ...parts }), pods));
}
