import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import { IptablesNetwork } from '../iptables/iptables-network.ts';
import { NftablesNetwork } from '../nftables/nftables-network.ts';
import type { ServiceNetwork, ServiceRules } from '../rules.ts';
import type { RunTool } from './run-tool.ts';
import { NODE, serviceRules } from '../testing/service-rules.ts';
import { FLOWS_MAX, flowsThatAreThere, orphanedFlows, staleFlows } from './stale-flows.ts';

function service(hosts: readonly string[], more: Partial<ServiceRules> = {}): ServiceRules {
  return serviceRules('a', {
    protocol: 'udp',
    port: 53,
    clusterIP: '10.96.0.10',
    external: externalOf(30053),
    backends: { cluster: hosts.map((address) => ({ address, port: 5353, local: true })), local: [] },
    ...more,
  });
}

const CLUSTER_IP = '--orig-dst 10.96.0.10 --orig-port-dst 53';
const NODE_PORT = '--orig-port-dst 30053';
const GONE = '--reply-src 10.1.0.1 --reply-port-src 5353';

const EXTERNAL_IP = '--orig-dst 203.0.113.5 --orig-port-dst 53';

function externalOf(nodePort: number, ...addresses: readonly string[]): NonNullable<ServiceRules['external']> {
  return { addresses, nodePort, fate: 'cluster', insideFate: 'cluster', keepsSource: false };
}

const ROWS: readonly (readonly [string, ServiceRules | undefined, ServiceRules | undefined, readonly string[]])[] = [
  [
    'a backend went',
    service(['10.1.0.1', '10.1.0.2']),
    service(['10.1.0.2']),
    [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`],
  ],
  ['the Service went', service(['10.1.0.1']), undefined, [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`]],
  [
    'the first backend came',
    service([]),
    service(['10.1.0.1']),
    [`${CLUSTER_IP} --reply-src 10.96.0.10`, `${NODE_PORT} --reply-port-src 30053`],
  ],
  [
    'a node port, an external address came to one that is served',
    service(['10.1.0.1'], { external: externalOf(0) }),
    service(['10.1.0.1'], { external: externalOf(30053, '203.0.113.5') }),
    [`${EXTERNAL_IP} --reply-src 203.0.113.5`, `${NODE_PORT} --reply-port-src 30053`],
  ],
  [
    'the node port and an external address went, or became others',
    service(['10.1.0.1'], { external: externalOf(30053, '203.0.113.5') }),
    service(['10.1.0.1'], { external: externalOf(30054) }),
    [`${EXTERNAL_IP} ${GONE}`, `${NODE_PORT} ${GONE}`, '--orig-port-dst 30054 --reply-port-src 30054'],
  ],
  [
    'its port became another',
    service(['10.1.0.1'], { external: externalOf(0), port: 54 }),
    service(['10.1.0.1'], { external: externalOf(0) }),
    [`--orig-dst 10.96.0.10 --orig-port-dst 54 ${GONE}`, `${CLUSTER_IP} --reply-src 10.96.0.10`],
  ],
  [
    'a backend is on its way out, and serves who speaks to it',
    service(['10.1.0.1', '10.1.0.2']),
    service(['10.1.0.2'], { lingering: [{ address: '10.1.0.1', port: 5353 }] }),
    [],
  ],
  [
    'one on its way out went',
    service(['10.1.0.2'], { lingering: [{ address: '10.1.0.1', port: 5353 }] }),
    service(['10.1.0.2']),
    [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`],
  ],
  ['one more came', service(['10.1.0.1']), service(['10.1.0.1', '10.1.0.2']), []],
  ['TCP ends by itself', service(['10.1.0.1'], { protocol: 'tcp' }), undefined, []],
];

for (const [name, before, after, flows] of ROWS) {
  test(name, () => {
    const told = staleFlows([[before, after]]).map((args) => args.join(' '));
    assert.deepEqual(
      told,
      flows.map((flow) => `-D -f ipv4 -p udp ${flow}`),
    );
  });
}

test('thousands of addresses and thousands of endpoints are not paired', () => {
  const hosts = Array.from({ length: 5000 }, (_, at) => `10.1.${at >> 8}.${at & 255}`);
  const external = externalOf(0, ...Array.from({ length: 5000 }, (_, at) => `203.0.${at >> 8}.${at & 255}`));
  const before = service(hosts, { external });
  assert.equal(staleFlows([[before, undefined]]).length, FLOWS_MAX);
  assert.equal(staleFlows([[before, before]]).length, 0);
});

const MAKERS: Readonly<Record<string, (run: RunTool) => ServiceNetwork>> = {
  nftables: (run) => new NftablesNetwork({ table: 't', families: ['IPv4'], run, log: silentLogger }),
  iptables: (run) => new IptablesNetwork({ prefix: 'T', families: ['IPv4'], run, log: silentLogger }),
};

for (const [name, make] of Object.entries(MAKERS)) {
  test(`${name}: a change that was refused, and all that is made anew after it, forgets what the change would have`, async () => {
    const forgotten: string[] = [];
    let isRefusing = false;
    const network = make(async ([tool, ...args]) => {
      if (tool === 'conntrack' && args[0] === '-L') return '';
      if (tool === 'conntrack') forgotten.push(args.join(' '));
      else if (isRefusing) throw new NetworkError('no');
      return '';
    });
    await network.replace(NODE, new Map([['a', service(['10.1.0.1', '10.1.0.2'])]]));
    const after = new Map([['a', service(['10.1.0.2'])]]);
    isRefusing = true;
    await assert.rejects(network.change(after));
    isRefusing = false;
    await network.replace(NODE, after);
    assert.deepEqual(
      forgotten,
      [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`].map((flow) => `-D -f ipv4 -p udp ${flow}`),
    );
    await network.replace(NODE, after);
    assert.equal(forgotten.length, 2);
  });
}

/** As conntrack lists it. */
const flow = (source: string, to: string, at: string, more = ''): string => {
  const [[destination, port], [answers, answersAt]] = [to, at].map((place) => place.split(' ')) as [string[], string[]];
  return `udp      17 29 src=${source} dst=${destination} sport=40000 dport=${port} ${more}src=${answers} dst=${source} sport=${answersAt} dport=40000 mark=0 use=1`;
};
const POD = '10.244.0.9';
const ORPHANS: readonly (readonly [name: string, line: string, isForgotten: boolean, isAlone?: boolean])[] = [
  ['to a backend that is there', flow(POD, '10.96.0.10 53', '10.1.0.2 5353', '[UNREPLIED] '), false],
  ['to one that is gone', flow(POD, '10.96.0.10 53', '10.1.0.1 5353'), true],
  ['to one that serves on its way out', flow(POD, '10.96.0.10 53', '10.1.0.3 5353'), false],
  ['to another port of it', flow(POD, '10.96.0.10 53', '10.1.0.2 53'), true],
  ['to a node port’s that is gone', flow(POD, '192.0.2.1 30053', '10.1.0.1 5353'), true],
  ['to a node port’s that is there', flow(POD, '192.0.2.1 30053', '10.1.0.2 5353'), false],
  ['to an external address’s that is gone', flow(POD, '203.0.113.5 53', '10.1.0.1 5353'), true],
  ['to a Service that is gone', flow(POD, '10.96.0.99 7', '10.1.0.1 5353'), true],
  ['to what is no Service’s', flow(POD, '192.0.2.1 8472', '10.1.0.1 5353'), false],
  ['from another cluster’s pods', flow('10.9.0.9', '10.96.0.10 53', '10.9.0.1 53'), false],
  ['from elsewhere to our pods', flow('192.0.2.7', '10.96.0.10 53', '10.244.0.3 53'), true],
  ['from anywhere, on a machine of our own', flow('192.0.2.7', '10.96.0.10 53', '10.9.0.1 53'), true, true],
  ['what is no flow', 'udp 17 29 src=10.244.0.9 dst=10.96.0.10', false],
];

for (const [name, line, isForgotten, isAlone = false] of ORPHANS)
  test(`what was left of a time without a proxy: ${name}`, () => {
    const external = { ...service([]).external, addresses: ['203.0.113.5'] } as NonNullable<ServiceRules['external']>;
    const lingering = [{ address: '10.1.0.3', port: 5353 }];
    const services = [service(['10.1.0.2'], { external, lingering }), service(['10.1.0.1'], { protocol: 'tcp' })];
    const links = isAlone ? {} : { links: { all: 'bn', own: 'bn1' } };
    const node = { ...NODE, serviceRanges: ['10.96.0.0/16'], ...links };
    const told = orphanedFlows(`${line}\n${line}\n`, { family: 'IPv4', node, services });
    assert.equal(told.length, isForgotten ? 1 : 0);
    for (const args of told)
      assert.match(
        args.join(' '),
        /^-D -f ipv4 -p udp --orig-dst [\d.]+ --orig-port-dst \d+ --reply-src [\d.]+ --reply-port-src \d+$/,
      );
  });

for (const [name, make] of Object.entries(MAKERS))
  test(`${name}: at its start it forgets what went to places that are gone, once`, async () => {
    const asked: string[] = [];
    const network = make(async ([tool, ...args]) => {
      if (tool === 'conntrack') asked.push(args.join(' '));
      return args[0] === '-L' ? flow(POD, '10.96.0.10 53', '10.1.0.1 5353') : '';
    });
    const rules = new Map([['a', service(['10.1.0.2'])]]);
    await network.replace(NODE, rules);
    await network.replace(NODE, rules);
    assert.deepEqual(asked, ['-L -f ipv4 -p udp -g', `-D -f ipv4 -p udp ${CLUSTER_IP} ${GONE}`]);
  });

for (const [name, make] of Object.entries(MAKERS))
  test(`${name}: of a thousand backends that go at once, those are forgotten whom somebody spoke to`, async () => {
    const asked: string[] = [];
    const network = make(async ([tool, ...args]) => {
      if (tool === 'conntrack') asked.push(args.join(' '));
      if (args[0] !== '-L' || args.includes('-g')) return '';
      return [flow(POD, '10.96.0.10 53', '10.1.3.200 5353'), flow(POD, '192.0.2.1 30053', '10.1.3.201 5353')].join(
        '\n',
      );
    });
    const hosts = Array.from({ length: 1000 }, (_, at) => `10.1.${Math.trunc(at / 250)}.${at % 250}`);
    await network.replace(NODE, new Map([['a', service(hosts)]]));
    asked.length = 0;
    await network.change(new Map([['a', service([])]]));
    assert.deepEqual(asked, [
      '-L -f ipv4 -p udp',
      `-D -f ipv4 -p udp ${CLUSTER_IP} --reply-src 10.1.3.200 --reply-port-src 5353`,
      `-D -f ipv4 -p udp ${NODE_PORT} --reply-src 10.1.3.201 --reply-port-src 5353`,
    ]);
  });

test('what is looked for in a list of flows: places, what went past, and what a list does not tell', () => {
  const listing = [flow(POD, '10.96.0.10 53', '10.1.0.1 5353'), flow(POD, '10.96.0.11 53', '10.96.0.11 53')].join('\n');
  const look = (told: string): boolean =>
    flowsThatAreThere(listing, [`-D -f ipv4 -p udp ${told}`.split(' ')]).length === 1;
  const there = [
    `${CLUSTER_IP} ${GONE}`,
    `--orig-port-dst 53 ${GONE}`,
    '--orig-dst 10.96.0.11 --orig-port-dst 53 --reply-src 10.96.0.11',
    '--orig-port-dst 53 --reply-port-src 53',
    '--orig-src 10.1.0.9',
    '--reply-src 10.1.0.9',
  ];
  const absent = [
    `${NODE_PORT} ${GONE}`,
    `${CLUSTER_IP} --reply-src 10.1.0.2 --reply-port-src 5353`,
    `${CLUSTER_IP} --reply-src 10.96.0.10`,
    '--orig-port-dst 30053 --reply-port-src 30053',
  ];
  assert.deepEqual([...there, ...absent].filter(look), there);
});
