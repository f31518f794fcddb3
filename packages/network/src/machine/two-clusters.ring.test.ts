/** Two clusters on one machine whose Services have the same addresses: whose pod asks says who answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { IptablesNetwork } from '../iptables/iptables-network.ts';
import { NftablesNetwork } from '../nftables/nftables-network.ts';
import type { NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import {
  ask,
  askByDatagram,
  hears,
  inside,
  makeNamespaces,
  NODE_ADDRESS,
  NODE_NS,
  pod,
  removeNamespaces,
} from '../testing/namespaces.ts';
import { backend, PLAIN, run, service } from '../testing/service-network-suite.ts';
import { readNeighbourDoors } from './neighbour-doors.ts';

const OTHER = '10.245.0.4';

/** Pod 4 is one of the other cluster, on a bridge of its own. */
before(async () => {
  await makeNamespaces();
  const node = (...args: readonly string[]): string => inside(NODE_NS, 'ip', ...args);
  node('link', 'add', 'br1', 'type', 'bridge');
  node('addr', 'add', '10.245.0.1/24', 'dev', 'br1');
  node('link', 'set', 'br1', 'up');
  node('link', 'set', 'v4', 'master', 'br1');
  inside(NODE_NS, 'bridge', 'link', 'set', 'dev', 'v4', 'hairpin', 'on');
  inside(pod(4), 'ip', 'addr', 'flush', 'dev', 'eth0', 'scope', 'global');
  inside(pod(4), 'ip', 'addr', 'add', `${OTHER}/24`, 'dev', 'eth0');
  inside(pod(4), 'ip', 'route', 'add', 'default', 'via', '10.245.0.1');
});
after(removeNamespaces);

const rulesOf = (own: string, podRange: string): NodeRules => ({
  ...PLAIN,
  podRanges: [podRange],
  links: { all: 'br', own },
});
const FIRST = rulesOf('br0', '10.244.0.0/24');
const SECOND = rulesOf('br1', '10.245.0.0/24');
const leads = (id: string, clusterIP: string, to: ServiceRules['backends']['cluster']): ServiceRules =>
  service(id, { clusterIP, backends: { cluster: to, local: [] } });
const OF_FIRST = [
  leads('ns/web', '10.96.0.7', [backend(2)]),
  service('ns/none', { clusterIP: '10.96.0.8', internalFate: 'reject', backends: { cluster: [], local: [] } }),
];
const there = [{ address: OTHER, port: 8080, local: true }];
const OF_SECOND = ['7', '8', '9'].map((last) => leads(`ns/s${last}`, `10.96.0.${last}`, there));

const byId = (services: readonly ServiceRules[]): Map<string, ServiceRules> =>
  new Map(services.map((one) => [one.id, one]));

const DRIVERS: readonly (readonly [name: string, make: (name: string) => ServiceNetwork])[] = [
  ['nftables', (table) => new NftablesNetwork({ table, families: ['IPv4'], run, log: silentLogger })],
  [
    'iptables',
    (prefix) => new IptablesNetwork({ prefix: prefix.toUpperCase(), families: ['IPv4'], run, log: silentLogger }),
  ],
];

for (const [name, make] of DRIVERS) {
  test(`${name}: pods reach their own cluster's Services, whoever came first`, async () => {
    const [first, second] = [make('bnaaa'), make('bnbbb')];
    try {
      await first.replace(FIRST, byId(OF_FIRST));
      await second.replace(SECOND, byId(OF_SECOND));
      for (const last of [() => first.replace(FIRST, byId(OF_FIRST)), () => second.replace(SECOND, byId(OF_SECOND))]) {
        await last();
        await Promise.all([
          hears(ask(pod(3), '10.96.0.7', 80), /^p2 /),
          hears(ask(pod(4), '10.96.0.7', 80), /^p4 /),
          hears(ask(pod(3), '10.96.0.8', 80), 'refused'),
          hears(ask(pod(4), '10.96.0.8', 80), /^p4 /, 'which the first one refuses'),
          hears(ask(pod(3), '10.96.0.9', 80), 'silence', 'which the first one has not given out'),
          hears(ask(pod(4), '10.96.0.9', 80), /^p4 /),
          hears(ask(NODE_NS, '10.96.0.7', 80), /^p[24] /, 'the machine: one of both'),
        ]);
      }
    } finally {
      await first.remove();
      await second.remove();
    }
  });
}

const PAIRS = DRIVERS.flatMap(([first, makeFirst]) =>
  DRIVERS.map(([second, makeSecond]) => [`${second} after ${first}`, makeFirst, makeSecond] as const),
);
for (const [name, makeFirst, makeSecond] of PAIRS) {
  test(`${name}: a cluster that comes later drops nothing that the first one serves or refuses`, async () => {
    const [first, second] = [makeFirst('bnaaa'), makeSecond('bnbbb')];
    // Without a word of links, as by `binnacle proxy` alone.
    const { links: _, ...plain } = FIRST;
    try {
      await first.replace(plain, byId(OF_FIRST));
      for (const rules of [plain, SECOND]) {
        await second.replace(rules, new Map());
        const askers = rules === plain ? [NODE_NS, pod(3)] : [NODE_NS];
        await Promise.all(
          askers.flatMap((asker) => [
            hears(ask(asker, '10.96.0.7', 80), /^p2 /),
            hears(ask(asker, '10.96.0.7', 81), 'refused', 'another port'),
            hears(ask(asker, '10.96.0.8', 80), 'refused'),
            hears(ask(asker, '10.96.0.9', 80), 'silence', 'which neither knows'),
          ]),
        );
      }
    } finally {
      await first.remove();
      await second.remove();
    }
  });
}

for (const [name, make] of DRIVERS) {
  test(`${name}: the first backend of a cluster's UDP Service is no news to clients of another's with the same address`, async () => {
    const [first, second] = [make('bnaaa'), make('bnbbb')];
    const dns = (to: ServiceRules['backends']['cluster']): Map<string, ServiceRules> =>
      byId([
        service('ns/dns', {
          ...{ protocol: 'udp', port: 53, internalFate: to.length === 0 ? 'reject' : 'cluster' },
          backends: { cluster: to, local: [] },
        }),
      ]);
    const flows = (): string =>
      inside(NODE_NS, 'conntrack', '-L', '-p', 'udp', '--orig-dst', '10.96.0.7', '--reply-src', '10.244.0.2');
    try {
      await first.replace(FIRST, dns([backend(2)]));
      await second.replace(SECOND, dns([]));
      assert.match(await askByDatagram(pod(3), '10.96.0.7', 53), /^p2 /);
      assert.match(flows(), /src=10\.244\.0\.3 /);
      await second.change(dns(there));
      assert.match(await askByDatagram(pod(4), '10.96.0.7', 53), /^p4 /);
      assert.match(flows(), /src=10\.244\.0\.3 /, 'an answer may be on its way still');
    } finally {
      await first.remove();
      await second.remove();
    }
  });
}

/** A node port, and a load balancer on the machine's own address; the second one has nobody who answers. */
const DOORS = [
  service('ns/open', {
    external: {
      ...{ addresses: [NODE_ADDRESS, '203.0.113.5'], nodePort: 30080, insideFate: 'cluster' },
      ...{ fate: 'cluster', keepsSource: false },
    },
  }),
  service('ns/none', {
    ...{ clusterIP: '10.96.0.8', internalFate: 'reject', backends: { cluster: [], local: [] } },
    external: { addresses: [], nodePort: 30081, fate: 'reject', keepsSource: false, insideFate: 'reject' },
  }),
];

for (const [name, make] of DRIVERS) {
  test(`${name}: what a cluster has of the machine's ports, another one is told of`, async () => {
    const first = make('bnaaa');
    const seen = async (own: string): Promise<readonly string[]> =>
      [...(await readNeighbourDoors(run, own, [NODE_ADDRESS])).keys()].toSorted();
    try {
      await first.replace(FIRST, byId(DOORS));
      assert.deepEqual(await seen('BNBBB'), ['IPv4/tcp/30080', 'IPv4/tcp/30081', 'IPv4/tcp/80']);
      assert.deepEqual(await seen('BNAAA'), [], 'not of its own');
      await first.change(byId([service('ns/open'), service('ns/none', { clusterIP: '10.96.0.8' })]));
      assert.deepEqual(await seen('BNBBB'), []);
    } finally {
      await first.remove();
    }
  });
}
