import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { parseResolvConf, podDns } from './dns.ts';

const nodeResolvConf =
  '# from dhcp\nnameserver 192.0.2.53\nnameserver 192.0.2.54\nsearch corp.example. .\noptions timeout:1\n';
const own = { servers: ['192.0.2.53', '192.0.2.54'], searches: ['corp.example'], options: ['timeout:1'] };
const cluster = {
  servers: ['10.0.0.10'],
  searches: ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp.example'],
  options: ['ndots:5'],
};

const rows: readonly [string, Partial<PodSpec>, object][] = [
  ['ClusterFirst', { dnsPolicy: 'ClusterFirst' }, cluster],
  ["ClusterFirst on the node's network", { dnsPolicy: 'ClusterFirst', hostNetwork: true }, own],
  ['ClusterFirstWithHostNet', { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, cluster],
  ['Default', { dnsPolicy: 'Default' }, own],
  [
    'None',
    {
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: ['192.0.2.1'],
        searches: ['x'],
        options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
      },
    },
    { servers: ['192.0.2.1'], searches: ['x'], options: ['ndots:2', 'edns0'] },
  ],
  [
    'dnsConfig adds and overrides',
    {
      dnsPolicy: 'ClusterFirst',
      dnsConfig: { nameservers: ['192.0.2.1', '10.0.0.10'], options: [{ name: 'ndots', value: '3' }] },
    },
    { ...cluster, servers: ['10.0.0.10', '192.0.2.1'], options: ['ndots:3'] },
  ],
];

for (const [name, spec, wanted] of rows) {
  test(`dns: ${name}`, () => {
    assert.deepEqual(
      podDns({ pod: testPod({ spec }), nodeResolvConf, clusterDNS: ['10.0.0.10'], clusterDomain: 'cluster.local' }),
      wanted,
    );
  });
}

test('without a cluster DNS the node is asked', () => {
  assert.deepEqual(podDns({ pod: testPod(), nodeResolvConf, clusterDNS: [], clusterDomain: 'cluster.local' }), own);
});

test('an empty resolv.conf', () => assert.deepEqual(parseResolvConf(''), { servers: [], searches: [], options: [] }));
