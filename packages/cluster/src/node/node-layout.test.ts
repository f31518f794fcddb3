import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutNodes } from './node-layout.ts';

const wish = { count: 2, podCidrs: ['10.244.0.0/24'], nodeRanges: ['10.245.0.0/24'], prefix: 'bn0123456789' };
const BOTH = {
  ...wish,
  podCidrs: ['10.244.0.0/24', 'fd00:10:244::/64'],
  nodeRanges: ['10.245.0.0/24', 'fd00:10:245::/64'],
};

test('nodes have addresses one after the other, and names that links may have', () => {
  const layout = layOutNodes(wish);
  assert.deepEqual(layout.gateways, ['10.245.0.1']);
  assert.deepEqual(
    layout.workers.map(({ addresses }) => addresses),
    [['10.245.0.2'], ['10.245.0.3']],
  );
  for (const name of [layout.bridge, ...layOutNodes({ ...wish, count: 64 }).workers.map(({ link }) => link)])
    assert.ok(name.length <= 15, name);
});

test('with two families each node has an address of both', () => {
  const { gateways, clusterRanges, workers } = layOutNodes(BOTH);
  assert.deepEqual(gateways, ['10.245.0.1', 'fd00:10:245::1']);
  assert.deepEqual(clusterRanges, ['10.244.0.0/22', 'fd00:10:244::/62']);
  assert.deepEqual(workers[1]?.addresses, ['10.245.0.3', 'fd00:10:245::3']);
});

for (const [name, count, own, all] of [
  ['two nodes', 1, '10.244.0.0/24', '10.244.0.0/23'],
  ['three', 2, '10.244.0.0/24', '10.244.0.0/22'],
  ['as many as there may be', 64, '10.244.0.0/24', '10.244.0.0/17'],
  ['an own range that is not the first', 2, '10.244.7.0/24', '10.244.4.0/22'],
  ['small ranges', 3, '10.9.1.64/26', '10.9.1.0/24'],
] as const) {
  test(`all nodes' pods, where nobody says: ${name}`, () => {
    assert.deepEqual(layOutNodes({ ...wish, count, podCidrs: [own] }).clusterRanges, [all]);
  });
}

test('where there is no room', () => {
  for (const [name, more] of [
    ['too many', { count: 65 }],
    ['no range of pods', { podCidrs: ['x'] }],
    ['no range of nodes', { nodeRanges: ['10.245.0.0/99'] }],
    ['too small', { nodeRanges: ['10.245.0.0/31'] }],
    ['nodes among pods', { nodeRanges: ['10.244.1.0/24'] }],
    ['pods among nodes', { nodeRanges: ['10.240.0.0/12'] }],
    ['a node among pods', { podCidrs: ['10.245.0.0/30'], nodeRanges: ['10.245.0.0/16'] }],
    ['pods of two families, nodes of one', { podCidrs: BOTH.podCidrs }],
    ['the same family of all pods alone', { ...BOTH, clusterRanges: ['10.244.0.0/16'] }],
    ['own pods beside all pods', { clusterRanges: ['10.240.0.0/16'] }],
    ['own pods around all pods', { clusterRanges: ['10.244.0.0/26'] }],
    ['all addresses are one node', { podCidrs: ['10.0.0.0/1'], nodeRanges: ['192.0.2.0/24'] }],
  ] as const)
    assert.throws(() => layOutNodes({ ...wish, ...more }), { code: 'bad-range' }, name);
});
