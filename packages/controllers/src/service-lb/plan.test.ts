import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import type { Node, Service } from '@binnacle/api/core/v1';
import { grantedAddresses, grantedPorts, planBalancers, wantsBalancer } from './plan.ts';
import type { AddressSource, Grant } from './plan.ts';

interface Facts {
  readonly at?: number;
  readonly ports?: readonly string[];
  readonly had?: readonly string[];
  /** What its status says of ports. */
  readonly given?: readonly string[];
  readonly spec?: object;
}

const portOf = (text: string): object => ({ port: Number(text.split('/')[0]), protocol: text.split('/')[1] });

function service(name: string, { at = 0, ports = ['80/TCP'], had = [], given, spec = {} }: Facts = {}): Service {
  const told = given === undefined ? {} : { ports: given.map(portOf) };
  return {
    metadata: { name, namespace: 'ns', creationTimestamp: `2026-01-01T00:00:0${at}Z` },
    spec: {
      type: 'LoadBalancer',
      ipFamilies: ['IPv4'],
      ports: ports.map(portOf),
      ...spec,
    },
    status: { loadBalancer: { ingress: had.map((ip) => ({ ip, ipMode: 'VIP', ...told })) } },
  } as unknown as Service;
}

function node(name: string, addresses: readonly string[], labels = {}): Node {
  const all = addresses.map((address) => ({ type: 'InternalIP', address }));
  return { metadata: { name, labels }, status: { addresses: all } } as unknown as Node;
}

const NODES = [
  node('a', ['192.0.2.1', 'fd01::1']),
  node('b', ['192.0.2.2']),
  node('c', ['192.0.2.3'], { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }),
];
const BOTH = { ipFamilies: ['IPv4', 'IPv6'] };
const LOCAL = { externalTrafficPolicy: 'Local' };
const NO_PORTS: ReadonlySet<string> = new Set();

const ROWS: readonly {
  readonly name: string;
  readonly services: readonly Service[];
  readonly source?: Partial<AddressSource>;
  readonly wanted: readonly (readonly [key: string, granted: readonly string[] | string])[];
}[] = [
  {
    name: 'who keeps sources: nodes that have somebody',
    services: [service('a', { spec: LOCAL })],
    source: { answering: () => new Set(['b', 'c', 'elsewhere']) },
    wanted: [['ns/a', ['192.0.2.2']]],
  },
  {
    name: 'who keeps sources: the node that another one reaches the world through, and that one',
    services: [service('a', { spec: LOCAL })],
    source: { answering: () => new Set(['b']), gateway: { nodeName: 'a', guestRanges: ['192.0.2.2/31'] } },
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2']]],
  },
  {
    name: 'who keeps sources: a gateway for none of those that have somebody',
    services: [service('a', { spec: LOCAL })],
    source: { answering: () => new Set(['b']), gateway: { nodeName: 'a', guestRanges: ['10.200.0.0/24'] } },
    wanted: [['ns/a', ['192.0.2.2']]],
  },
  {
    name: 'who keeps sources and has nobody anywhere keeps its addresses',
    services: [service('a', { spec: LOCAL })],
    source: { answering: () => new Set() },
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2']]],
  },
  {
    name: 'who does not keep sources: all nodes, whoever has somebody',
    services: [service('a')],
    source: { answering: () => new Set(['b']) },
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2']]],
  },
  {
    name: 'all nodes that are not excluded',
    services: [service('a')],
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2']]],
  },
  {
    name: 'both families',
    services: [service('a', { spec: BOTH })],
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2', 'fd01::1']]],
  },
  {
    name: 'other ports, and the same port of another protocol, are free',
    services: [service('a'), service('b', { ports: ['81/TCP', '80/UDP'] })],
    wanted: [
      ['ns/a', ['192.0.2.1', '192.0.2.2']],
      ['ns/b', ['192.0.2.1', '192.0.2.2']],
    ],
  },
  {
    name: 'the older one has the port',
    services: [service('a', { at: 2 }), service('b', { at: 1 })],
    wanted: [
      ['ns/b', ['192.0.2.1', '192.0.2.2']],
      ['ns/a', "port tcp/80 of the nodes' addresses is given to Service ns/b"],
    ],
  },
  {
    name: 'who has it keeps it',
    services: [service('a', { at: 2, had: ['192.0.2.1'] }), service('b', { at: 1 })],
    wanted: [
      ['ns/a', ['192.0.2.1', '192.0.2.2']],
      ['ns/b', "port tcp/80 of the nodes' addresses is given to Service ns/a"],
    ],
  },
  {
    name: 'what the node itself listens on is not taken over',
    services: [service('a', { ports: ['6443/TCP'] })],
    source: { usedPorts: new Set(['tcp/6443']) },
    wanted: [['ns/a', "port tcp/6443 of the nodes' addresses is in use by a program or another cluster of the node"]],
  },
  {
    name: 'a program that comes later takes nothing away',
    services: [service('a', { had: ['192.0.2.1'], given: ['80/TCP'] })],
    source: { usedPorts: new Set(['tcp/80']) },
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2']]],
  },
  {
    name: 'a port that was not given before is looked at, whoever has addresses',
    services: [service('a', { ports: ['80/TCP', '6443/TCP'], had: ['192.0.2.1'], given: ['80/TCP'] })],
    source: { usedPorts: new Set(['tcp/80', 'tcp/6443']) },
    wanted: [['ns/a', "port tcp/6443 of the nodes' addresses is in use by a program or another cluster of the node"]],
  },
  {
    name: 'of a status that says nothing of ports, as others write it, all were given',
    services: [service('a', { had: ['192.0.2.1'] })],
    source: { usedPorts: new Set(['tcp/80']) },
    wanted: [['ns/a', ['192.0.2.1', '192.0.2.2']]],
  },
  {
    name: 'an address that no node has',
    services: [service('a', { spec: { loadBalancerIP: '198.51.100.1' } })],
    wanted: [['ns/a', "the address 198.51.100.1 is none of the nodes'"]],
  },
  {
    name: 'of a pool, each has one of its own',
    services: [service('a', { at: 1 }), service('b', { at: 2 }), service('c', { at: 3 })],
    source: { pool: ['198.51.100.0/31'] },
    wanted: [
      ['ns/a', ['198.51.100.0']],
      ['ns/b', ['198.51.100.1']],
      ['ns/c', 'the pool has no free IPv4 address'],
    ],
  },
  {
    name: 'of a pool, what one has is kept, and what is asked for is given where it is free',
    services: [
      service('a', { at: 1, spec: { loadBalancerIP: '198.51.100.5' } }),
      service('b', { at: 2, spec: { loadBalancerIP: '198.51.100.5' } }),
      service('c', { at: 3, had: ['198.51.100.0'] }),
      service('d', { at: 4, had: ['203.0.113.1'] }),
    ],
    source: { pool: ['198.51.100.0/29'] },
    wanted: [
      ['ns/c', ['198.51.100.0']],
      ['ns/d', ['198.51.100.1']],
      ['ns/a', ['198.51.100.5']],
      ['ns/b', 'the address 198.51.100.5 is not free in the pool'],
    ],
  },
  {
    name: 'of a pool, no address of a node, of another balancer, or that a Service names as external',
    services: [
      service('a', { at: 1 }),
      service('b', { at: 2 }),
      service('c', { at: 3, spec: { type: 'ClusterIP', externalIPs: ['192.0.2.4', '192.0.2.6'] } }),
      service('d', { at: 3, had: ['192.0.2.5'], spec: { loadBalancerClass: 'other' } }),
      service('e', { at: 4, spec: { loadBalancerIP: '192.0.2.4' } }),
      service('f', { at: 5, spec: { loadBalancerIP: '192.0.2.3' } }),
    ],
    source: { pool: ['192.0.2.0/29'] },
    wanted: [
      ['ns/a', ['192.0.2.0']],
      ['ns/b', ['192.0.2.7']],
      ['ns/e', 'the address 192.0.2.4 is not free in the pool'],
      ['ns/f', 'the address 192.0.2.3 is not free in the pool'],
    ],
  },
  {
    name: 'of a pool, an address in two spellings is one',
    services: [
      service('a', { spec: { ipFamilies: ['IPv6'] } }),
      service('b', { spec: { type: 'ClusterIP', externalIPs: ['FD01:0::0', 'fd01:0:0::2'] } }),
    ],
    source: { pool: ['fd01::/126'] },
    wanted: [['ns/a', ['fd01::3']]],
  },
  {
    name: 'of a pool, who has an address keeps it though another one names it, and gets what they name themselves; not a node’s',
    services: [
      service('a', { had: ['192.0.2.4'] }),
      service('b', { spec: { type: 'ClusterIP', externalIPs: ['192.0.2.4'] } }),
      service('c', { spec: { externalIPs: ['192.0.2.5'], loadBalancerIP: '192.0.2.5' } }),
      service('d', { had: ['192.0.2.1'] }),
    ],
    source: { pool: ['192.0.2.0/29'] },
    wanted: [
      ['ns/a', ['192.0.2.4']],
      ['ns/d', ['192.0.2.0']],
      ['ns/c', ['192.0.2.5']],
    ],
  },
  {
    name: 'of a pool of both families, also past an octet',
    services: [
      service('a', { spec: BOTH }),
      service('b', { at: 1, spec: { ...BOTH, loadBalancerIP: '198.51.100.9' } }),
    ],
    source: { pool: ['198.51.100.0/24', 'fd05::ff/112'] },
    wanted: [
      ['ns/a', ['198.51.100.0', 'fd05::']],
      ['ns/b', ['198.51.100.9', 'fd05::1']],
    ],
  },
];

for (const { name, services, source, wanted } of ROWS) {
  test(name, () => {
    const grants = planBalancers(services, NODES, { usedPorts: NO_PORTS, ...source });
    const told = (grant: Grant): readonly string[] | string => ('conflict' in grant ? grant.conflict : grant.addresses);
    assert.deepEqual(
      [...grants].map(([key, grant]) => [key, told(grant)]),
      wanted,
    );
  });
}

test('a large pool is not looked through for each', () => {
  const many = Array.from({ length: 5000 }, (_, at) => service(`s${String(at).padStart(4, '0')}`));
  let grants: readonly Grant[] = [];
  const ms = cpuMs(() => {
    grants = [...planBalancers(many, [], { usedPorts: NO_PORTS, pool: ['10.0.0.0/8'] }).values()];
  });
  assert.equal(new Set(grants.flatMap((grant) => ('addresses' in grant ? grant.addresses : []))).size, 5000);
  assert.ok(ms < 2000, `${ms}`);
});

test('who wants another’s, or none', () => {
  assert.equal(wantsBalancer(service('a')), true);
  assert.equal(wantsBalancer(service('a', { spec: { loadBalancerClass: 'example.com/lb' } })), false);
  assert.equal(wantsBalancer(service('a', { spec: { type: 'NodePort' } })), false);
});

test('the addresses of a Service: names of balancers are none', () => {
  const of = (ingress?: readonly { ip?: string; hostname?: string }[]): readonly string[] =>
    grantedAddresses({ ...service('a'), status: ingress === undefined ? {} : { loadBalancer: { ingress } } });
  assert.deepEqual(of(), []);
  assert.deepEqual(of([]), []);
  assert.deepEqual(
    of([{ hostname: 'lb.example' }, { ip: '' }, { ip: 'fd00::1', hostname: 'x' }, { ip: '192.0.2.1' }]),
    ['fd00::1', '192.0.2.1'],
  );
});

const GRANTED: readonly (readonly [name: string, facts: Facts, ports: readonly string[]])[] = [
  ['without addresses', { ports: ['80/TCP'] }, []],
  ['of a status that says nothing of them', { ports: ['80/TCP', '53/UDP'], had: ['192.0.2.1'] }, ['tcp/80', 'udp/53']],
  ['of a status that says which', { ports: ['80/TCP'], had: ['192.0.2.1'], given: ['81/TCP'] }, ['tcp/81']],
  ['of a status that says none', { ports: ['80/TCP'], had: ['192.0.2.1'], given: [] }, ['tcp/80']],
];
for (const [name, facts, ports] of GRANTED)
  test(`ports that were given: ${name}`, () => assert.deepEqual(grantedPorts(service('a', facts)), ports));
