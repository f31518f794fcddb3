import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followPacket } from './packet-path.ts';
import type { Packet } from './packet-path.ts';
import type { NodeRules, ServiceRules } from './rules.ts';
import { serviceRules } from './testing/service-rules.ts';

const NODE: NodeRules = {
  podRanges: ['10.244.0.0/16'],
  serviceRanges: ['10.96.0.0/12'],
  masqueradeAll: false,
  masqueradeBit: 14,
};

const EXTERNAL = { addresses: ['203.0.113.5'], nodePort: 30080, insideFate: 'cluster' } as const;
const OPEN = serviceRules('a/open', { external: { ...EXTERNAL, fate: 'cluster', keepsSource: false } });
const LOCAL = serviceRules('a/local', { external: { ...EXTERNAL, fate: 'local', keepsSource: true } });
const WALLED = serviceRules('a/walled', {
  external: { ...EXTERNAL, fate: 'cluster', keepsSource: false },
  firewall: { addresses: ['203.0.113.5'], sources: ['198.51.100.0/24'] },
});
const THIEF = serviceRules('0/thief', {
  clusterIP: '10.96.0.66',
  external: {
    addresses: ['10.96.0.7', '203.0.113.5'],
    nodePort: 0,
    fate: 'drop',
    keepsSource: false,
    insideFate: 'drop',
  },
});

const BOTH = ['10.244.0.2', '10.244.1.3'];
const MASKED = ['~10.244.0.2', '~10.244.1.3'];
type Row = readonly [
  name: string,
  services: readonly ServiceRules[],
  way: string,
  comes: readonly string[],
  node?: object,
];

const ROWS: readonly Row[] = [
  ['a pod to a ClusterIP', [OPEN], '10.244.0.9 > 10.96.0.7:80', BOTH],
  ['a pod to itself through its Service', [OPEN], '10.244.0.2 > 10.96.0.7:80', ['~10.244.0.2', '10.244.1.3']],
  ['the machine to a ClusterIP', [OPEN], '192.168.0.1 > 10.96.0.7:80', MASKED],
  ['another port of a ClusterIP', [OPEN], '10.244.0.9 > 10.96.0.7:81', ['reject']],
  ['a ClusterIP that nobody has', [OPEN], '10.244.0.9 > 10.96.0.9:80', ['drop']],
  ['another address', [OPEN], '10.244.0.9 > 1.1.1.1:80', ['pass']],
  ['a node port', [OPEN], '172.16.0.1 > 192.168.0.1:30080', MASKED],
  ['a node port on loopback', [OPEN], '127.0.0.1 > 127.0.0.1:30080', ['pass']],
  [
    'a node port of an address that does not answer',
    [OPEN],
    '172.16.0.1 > 192.168.0.1:30080',
    ['pass'],
    { nodePortAddresses: [] },
  ],
  ['policy Local keeps the source', [LOCAL], '172.16.0.1 > 192.168.0.1:30080', ['10.244.0.2']],
  ['policy Local, from a pod', [LOCAL], '10.244.5.5 > 192.168.0.1:30080', BOTH],
  ['policy Local, from the machine', [LOCAL], '192.168.0.1 > 203.0.113.5:80', MASKED],
  ['a source range, inside', [WALLED], '198.51.100.7 > 203.0.113.5:80', MASKED],
  ['a source range, outside', [WALLED], '198.51.101.7 > 203.0.113.5:80', ['drop']],
  ['a source range does not bear on node ports', [WALLED], '198.51.101.7 > 192.168.0.1:30080', MASKED],
  ['who is not let in', [OPEN], '172.16.0.1 > 192.168.0.1:30080', ['pass'], { insiders: ['10.244.0.0/16'] }],
  ['who is not let in, to a ClusterIP', [OPEN], '172.16.0.1 > 10.96.0.7:80', ['reject'], { insiders: [] }],
  ["a ClusterIP is nobody else's", [THIEF, OPEN], '10.244.0.9 > 10.96.0.7:80', BOTH],
  ['the first by name has an external address', [OPEN, THIEF], '10.244.0.9 > 203.0.113.5:80', ['drop']],
  ['all is masqueraded', [OPEN], '10.244.0.9 > 10.96.0.7:80', MASKED, { masqueradeAll: true }],
];

for (const [name, services, way, comes, node] of ROWS) {
  test(name, () => {
    const [, source = '', destination = '', port = ''] = /^(\S+) > (\S+):(\d+)$/.exec(way) ?? [];
    const packet: Packet = { source, destination, port: Number(port), protocol: 'tcp' };
    const addresses = new Set(['127.0.0.1', '192.168.0.1']);
    const outcome = followPacket({ node: { ...NODE, ...node }, services, addresses }, packet);
    const told =
      outcome.to === 'backends'
        ? outcome.backends.map((backend) => `${outcome.masquerades(backend) ? '~' : ''}${backend.address}`)
        : [outcome.to];
    assert.deepEqual(told, comes);
  });
}
