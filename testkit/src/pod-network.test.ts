import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder } from './folder.ts';
import { podNetwork } from './pod-network.ts';

const folder = makeFolder();
after(() => folder.remove());
const place = join(folder.path, 'containerd/cni/net.d');
mkdirSync(place, { recursive: true });
const write = (plugins: readonly object[]): void =>
  writeFileSync(join(place, '10-binnacle.conflist'), JSON.stringify({ cniVersion: '0.4.0', plugins }));

test('bridge and ranges of both families', () => {
  const ranges = [[{ subnet: '10.61.0.0/16' }], [{ subnet: 'fd61::/64' }]];
  write([{ type: 'bridge', bridge: 'bn0', ipam: { type: 'host-local', ranges } }, { type: 'portmap' }]);
  assert.deepEqual(podNetwork(folder.path), { bridge: 'bn0', subnets: ['10.61.0.0/16', 'fd61::/64'] });
});

for (const [what, plugins] of [
  ['no plugin', []],
  ['none with a bridge', [{ type: 'portmap' }]],
  ['a bridge without ranges', [{ type: 'bridge', bridge: 'bn0', ipam: { type: 'dhcp' } }]],
] as const)
  test(`${what} is no network in which nothing is left`, () => {
    write(plugins);
    assert.throws(() => podNetwork(folder.path), /names no network of pods/);
  });
