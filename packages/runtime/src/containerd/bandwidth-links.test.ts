import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandwidthLinkOf, linksOf, planLostLinks } from './bandwidth-links.ts';

const TABLE = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1048 9 0 0 0 0 0 0 1048 9 0 0 0 0 0 0
bwp80b6bf626217: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
  bwp1:0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
  ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
`;

test('the links of the plugin are known by their names', () => {
  assert.deepEqual(linksOf(TABLE), ['bwp80b6bf626217', 'bwp1']);
  assert.deepEqual(linksOf(''), []);
});

test('links go of pods that are gone, of this network alone', () => {
  const [gone, there, others] = [
    bandwidthLinkOf('bn1', 'b1'),
    bandwidthLinkOf('bn1', 'a1'),
    bandwidthLinkOf('bn2', 'b1'),
  ];
  const of = { bridge: 'bn1', ids: ['a1', 'b1', 'c1'], sandboxes: new Set(['a1']) };
  assert.deepEqual(planLostLinks([there, gone, others, 'bwp000000000000'], of), [gone]);
  assert.equal(gone.length, 15);
});
