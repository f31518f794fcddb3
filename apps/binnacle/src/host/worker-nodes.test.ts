import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { openDataDir } from './data-dir.ts';
import { parseListen } from './listen-address.ts';
import { NODE_DEFAULTS } from './node-flags.ts';
import { layOut, nodeNetworks, serverFor } from './worker-nodes.ts';
import type { WorkerFlags } from './worker-nodes.ts';

const FLAGS: WorkerFlags = {
  ...NODE_DEFAULTS,
  runtime: 'containerd',
  listen: parseListen('127.0.0.1:0'),
  dns: 'on',
  loadBalancer: 'on',
  workers: 2,
  v: 0,
};
const BOTH = ['10.244.0.0/24', 'fd00:10:244::/64'];

function withLayout(flags: Partial<WorkerFlags>, look: (layout: ReturnType<typeof layOut>) => void): void {
  const folder = makeTestFolder().path;
  try {
    look(layOut({ ...FLAGS, ...flags }, openDataDir(join(folder, 'data')), 'containerd'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('nodes have addresses of IPv6 where pods have, unless somebody says which', () => {
  withLayout({}, (layout) => assert.deepEqual(layout?.nodeRanges, ['10.245.0.0/24']));
  withLayout({ podCidr: BOTH }, (layout) =>
    assert.deepEqual(layout?.nodeRanges, ['10.245.0.0/24', 'fd00:10:245::/64']),
  );
  assert.throws(() => withLayout({ podCidr: BOTH, nodeCidr: ['10.9.0.0/24'] }, () => undefined), /same families/);
});

test('what the controller gives nodes is as large as what the own node has, which is settled', () => {
  withLayout({ podCidr: BOTH }, (layout) => {
    assert.deepEqual(nodeNetworks(layout, { nodeName: 'own', podCidr: BOTH }), {
      nodeCidrs: {
        clusterCidrs: ['10.244.0.0/22', 'fd00:10:244::/62'],
        maskSizes: { ipv4: 24, ipv6: 64 },
        settled: { own: BOTH },
      },
    });
  });
  withLayout({ clusterCidr: ['10.244.0.0/16'] }, (layout) => {
    const { nodeCidrs } = nodeNetworks(layout, { nodeName: 'own', podCidr: ['10.244.0.0/24'] });
    assert.deepEqual(nodeCidrs?.clusterCidrs, ['10.244.0.0/16']);
  });
  assert.deepEqual(nodeNetworks(undefined, { nodeName: 'own', podCidr: BOTH }), {}, 'a node that is alone');
});

test('all nodes’ pods are nobody’s where there is one node', () => {
  const alone = { workers: 0, clusterCidr: ['10.244.0.0/16'] };
  assert.throws(() => withLayout(alone, () => undefined), /--cluster-cidr does nothing/);
  withLayout({ ...alone, podNetwork: 'vxlan' }, (layout) => assert.equal(layout, undefined));
});

test('workers and nodes of other machines exclude each other', () => {
  assert.throws(() => withLayout({ podNetwork: 'vxlan' }, () => undefined), /--pod-network/);
});

for (const [url, advertised, server] of [
  ['https://127.0.0.1:6443', undefined, 'https://127.0.0.1:6443'],
  ['https://127.0.0.1:6443', '192.0.2.1', 'https://192.0.2.1:6443'],
  ['https://[::1]:443', '2001:db8::1', 'https://[2001:db8::1]:443'],
] as const)
  test(`nodes in namespaces reach the server at ${server}`, () => assert.equal(serverFor(url, advertised), server));
