import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { hugePagesOfPod, podWish } from './pod-wish.ts';

const rows: readonly [string, readonly Container[], readonly Container[], number][] = [
  ['those that run together', [], [{ name: '2' }, { name: '3' }], 5],
  ['one before them that is larger', [{ name: '9' }], [{ name: '2' }], 9],
  ['a sidecar beside them', [{ name: '4', restartPolicy: 'Always' }], [{ name: '2' }], 6],
  [
    'a sidecar beside the one that comes after it',
    [{ name: '4', restartPolicy: 'Always' }, { name: '9' }],
    [{ name: '2' }],
    13,
  ],
  ['one before the sidecar', [{ name: '5' }, { name: '4', restartPolicy: 'Always' }], [{ name: '2' }], 6],
];

for (const [name, initContainers, containers, wanted] of rows) {
  test(`what a pod needs at the most: ${name}`, () => {
    const pod = testPod({ spec: { initContainers: [...initContainers], containers: [...containers] } });
    assert.equal(podWish(pod, (container) => new Map([['x', Number(container.name)]])).get('x'), wanted);
  });
}

test('huge pages of a pod: of its containers together, or of the pod as a whole', () => {
  const [name, resources] = ['hugepages-2Mi', { limits: { 'hugepages-2Mi': '4Mi' } }];
  const containers = [{ name: 'a', resources }, { name: 'b', resources }, { name: 'c' }];
  assert.equal(hugePagesOfPod(testPod({ spec: { containers } }), name), 8 << 20);
  const whole = testPod({ spec: { containers, resources: { limits: { 'hugepages-2Mi': '6Mi' } } } });
  assert.deepEqual([hugePagesOfPod(whole, name), hugePagesOfPod(whole, 'hugepages-1Gi')], [6 << 20, 0]);
});
