import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutNodes, otherPodRanges } from './node-layout.ts';

const wish = { count: 2, podCidr: '10.244.0.0/24', nodeRange: '10.245.0.0/24', prefix: 'bn0123456789' };

test('nodes have addresses and ranges one after the other, and names that links may have', () => {
  const layout = layOutNodes(wish);
  assert.equal(layout.gateway, '10.245.0.1');
  assert.deepEqual(
    layout.workers.map(({ address, podCidr }) => [address, podCidr]),
    [
      ['10.245.0.2', '10.244.1.0/24'],
      ['10.245.0.3', '10.244.2.0/24'],
    ],
  );
  for (const name of [layout.bridge, ...layOutNodes({ ...wish, count: 64 }).workers.map(({ link }) => link)])
    assert.ok(name.length <= 15, name);
  assert.deepEqual(otherPodRanges(layout, ''), ['10.244.1.0/24', '10.244.2.0/24']);
  assert.deepEqual(otherPodRanges(layout, 'worker-1'), ['10.244.0.0/24', '10.244.2.0/24']);
});

test('where there is no room', () => {
  for (const [name, more] of [
    ['too many', { count: 65 }],
    ['no range of pods', { podCidr: 'x' }],
    ['no range of nodes', { nodeRange: '10.245.0.0/99' }],
    ['too small', { nodeRange: '10.245.0.0/31' }],
    ['nodes among pods', { nodeRange: '10.244.1.0/24' }],
    ['pods among nodes', { nodeRange: '10.240.0.0/12' }],
    ['a node among pods', { podCidr: '10.245.0.0/30', nodeRange: '10.245.0.0/16' }],
  ] as const)
    assert.throws(() => layOutNodes({ ...wish, ...more }), { code: 'bad-range' }, name);
});
