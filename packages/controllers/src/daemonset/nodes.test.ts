import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { DaemonSet } from '@binnacle/api/apps/v1';
import type { PodSpec, Taint } from '@binnacle/api/core/v1';
import { affinityTo, judgeNode, nodeOfPod, tolerationsOf } from './nodes.ts';

const taint = (key: string, effect: 'NoSchedule' | 'NoExecute'): Taint => ({ key, effect });
const MAINTENANCE = taint('maintenance', 'NoSchedule');

for (const [name, spec, taints, verdict] of [
  ['any node', {}, [], [true, true]],
  ['the node that the template names', { nodeName: 'n1' }, [], [true, true]],
  ['another node that the template names', { nodeName: 'n2' }, [], [false, false]],
  ['a node with the label', { nodeSelector: { disk: 'ssd' } }, [], [true, true]],
  ['a node without the label', { nodeSelector: { disk: 'hdd' } }, [], [false, false]],
  ['a taint that keeps new ones away', {}, [MAINTENANCE], [false, true]],
  ['a taint that drives out', {}, [taint('maintenance', 'NoExecute')], [false, false]],
  ['a taint that is tolerated', { tolerations: [{ operator: 'Exists' }] }, [MAINTENANCE], [true, true]],
  ['a node that is not ready', {}, [taint('node.kubernetes.io/not-ready', 'NoExecute')], [true, true]],
  ['a node that is cordoned', {}, [taint('node.kubernetes.io/unschedulable', 'NoSchedule')], [true, true]],
  ['a node without a network', {}, [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')], [false, true]],
  [
    'a node without a network, for one that needs none',
    { hostNetwork: true },
    [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')],
    [true, true],
  ],
] as const) {
  test(name, () => {
    const template: PodSpec = { containers: [], ...spec };
    const set: DaemonSet = { metadata: {}, spec: { template: { metadata: {}, spec: template } } };
    const node = { metadata: { name: 'n1', labels: { disk: 'ssd' } }, spec: { taints } };
    assert.deepEqual(Object.values(judgeNode(set, node)), verdict);
  });
}

test('a pod is meant for the one node that its affinity names, until it is on one', () => {
  const spec = { containers: [], affinity: affinityTo('n7', undefined) };
  assert.equal(nodeOfPod({ metadata: {}, spec }), 'n7');
  assert.equal(nodeOfPod({ metadata: {}, spec: { ...spec, nodeName: 'n8' } }), 'n8');
  assert.equal(nodeOfPod({ metadata: {}, spec: { containers: [] } }), undefined);
});

test('a toleration that the template has already is not added again', () => {
  const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' } as const;
  assert.equal(tolerationsOf({ containers: [], tolerations: [own] }).length, 6);
  assert.equal(tolerationsOf({ containers: [], hostNetwork: true }).length, 7);
});
