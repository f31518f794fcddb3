import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import type { RunTool } from '@binnacle/network/nftables';
import { clusterRangeOf, findPodMtu } from './pod-network.ts';

const ROUTE = '[{"dst":"default","dev":"eth9"}]';
const LINK = '[{"ifname":"eth9","mtu":1460}]';

const ROWS: readonly (readonly [
  name: string,
  says: { readonly [command: string]: string },
  mode: 'host-gw' | 'vxlan' | undefined,
  mtu: number | undefined,
  podCidrs?: readonly string[],
])[] = [
  ['as the way out', { route: ROUTE, link: LINK }, undefined, 1460],
  ['between neighbours', { route: ROUTE, link: LINK }, 'host-gw', 1460],
  ['wrapped', { route: ROUTE, link: LINK }, 'vxlan', 1410],
  ['wrapped in IPv6', { route: ROUTE, link: LINK }, 'vxlan', 1390, ['fd02::/64', '10.244.0.0/24']],
  ['no way out', { route: '' }, 'vxlan', undefined],
  ['the tool fails', {}, undefined, undefined],
];

for (const [name, says, mode, mtu, podCidrs = ['10.244.0.0/24']] of ROWS) {
  test(`packets of pods: ${name}`, async () => {
    const run: RunTool = async ([, , what = '']) => {
      const said = says[what];
      if (said === undefined) throw new NetworkError('cannot run ip');
      return said;
    };
    assert.equal(await findPodMtu(run, { mode, podCidrs }, silentLogger), mtu);
  });
}

test('all nodes’ pods, where nobody says', () => {
  assert.equal(clusterRangeOf('10.244.7.0/24'), '10.244.0.0/16');
  assert.equal(clusterRangeOf('fd02:0:0:7::/64'), 'fd02::/48');
  assert.equal(clusterRangeOf('10.0.0.0/8'), '10.0.0.0/8');
  assert.throws(() => clusterRangeOf('pods'), { code: 'bad-range' });
});
