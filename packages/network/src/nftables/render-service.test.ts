import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backend, ExternalRules, ServiceRules } from '../rules.ts';
import { externalRules, HERE, NODE, serviceRules, THERE } from '../testing/service-rules.ts';
import { serviceName } from './names.ts';
import { renderService, SHARED_SPREAD_MAX } from './render-service.ts';
import type { RenderedService } from './render-service.ts';

const SERVICE = serviceName('service', 's');
const LOCAL = serviceName('local', 's');
const EXTERNAL = serviceName('external', 's');
const WALL = serviceName('firewall', 's');
const INNER = '10.96.0.7 . tcp . 80';
const OUTER = '203.0.113.5 . tcp . 80';

const rendered = (more: Partial<ServiceRules> = {}, node = NODE): RenderedService =>
  renderService(serviceRules('s', more), node);
const many = (count: number): Backend[] => Array.from({ length: count }, (_, at) => ({ ...THERE, port: 9000 + at }));

const INSIDE: readonly [name: string, more: Partial<ServiceRules>, wanted: object][] = [
  [
    'few endpoints share the chains of all',
    {},
    {
      forward: 'goto tcp-spread-2',
      endpoints: { protocol: 'tcp', key: '10.96.0.7 . 80', places: ['10.244.0.2 . 8080', '10.244.1.3 . 8080'] },
    },
  ],
  [
    'those of this node do too',
    { internalFate: 'local' },
    {
      forward: 'goto tcp-spread-1',
      endpoints: { protocol: 'tcp', key: '10.96.0.7 . 80', places: ['10.244.0.2 . 8080'] },
    },
  ],
  [
    'many have a chain',
    { backends: { cluster: many(SHARED_SPREAD_MAX + 1), local: [] } },
    { forward: `goto ${SERVICE}` },
  ],
  ['who keeps clients has a chain', { affinitySeconds: 60 }, { forward: `goto ${SERVICE}` }],
  [
    'who is reached from outside has one',
    { external: externalRules(), internalFate: 'local' },
    { forward: `goto ${LOCAL}` },
  ],
  [
    'nobody is there',
    { internalFate: 'reject', backends: { cluster: [], local: [] } },
    { filter: 'goto reject-chain' },
  ],
  ['nobody is there on this node', { internalFate: 'drop', backends: { cluster: [], local: [] } }, { filter: 'drop' }],
];
for (const [name, more, wanted] of INSIDE)
  test(`from inside: ${name}`, () => assert.deepEqual(rendered(more).destinations.get(INNER), { rank: 0, ...wanted }));

test('as many endpoints as fit are still shared, and make no chain', () => {
  const { chains, destinations } = rendered({ backends: { cluster: many(SHARED_SPREAD_MAX), local: [] } });
  assert.deepEqual([...chains.keys()], []);
  assert.equal(destinations.get(INNER)?.endpoints?.places.length, SHARED_SPREAD_MAX);
});

const MASK = 'meta mark set meta mark or 0x4000';
const OUTSIDE: readonly [name: string, given: ExternalRules, chain: readonly string[] | undefined, filter: unknown][] =
  [
    ['masqueraded, to all', externalRules(), [MASK, `goto ${SERVICE}`], undefined],
    ['dropped', externalRules({ fate: 'drop' }), [MASK], 'drop'],
    [
      'sources are kept: its pods and the machine go to all',
      externalRules({ fate: 'local', keepsSource: true }),
      [
        `ip saddr { 10.244.0.0/16 } goto ${SERVICE}`,
        `fib saddr type local ${MASK}`,
        `fib saddr type local goto ${SERVICE}`,
        `goto ${LOCAL}`,
      ],
      undefined,
    ],
    [
      'sources are kept, and nobody inside is served',
      externalRules({ fate: 'local', keepsSource: true, insideFate: 'drop' }),
      [`goto ${LOCAL}`],
      undefined,
    ],
    ['nobody is served', externalRules({ fate: 'reject', insideFate: 'reject' }), undefined, 'goto reject-chain'],
  ];
for (const [name, given, chain, filter] of OUTSIDE)
  test(`from outside: ${name}`, () => {
    const { chains, destinations } = rendered({ external: given });
    assert.deepEqual(chains.get(EXTERNAL), chain);
    const wanted = {
      rank: 1,
      ...(chain === undefined ? {} : { forward: `goto ${EXTERNAL}` }),
      ...(filter === undefined ? {} : { filter }),
    };
    assert.deepEqual(destinations.get(OUTER), wanted);
  });

test('where the pods’ ranges are not known nothing is said of them', () => {
  const given = externalRules({ fate: 'local', keepsSource: true });
  const [first] = rendered({ external: given }, { ...NODE, podRanges: ['fd02::/64'] }).chains.get(EXTERNAL) ?? [];
  assert.match(first ?? '', /^fib saddr type local/);
});

test('a node port goes by its number alone; zero is none', () => {
  assert.deepEqual([...rendered({ external: externalRules({ nodePort: 30_080 }) }).nodePorts.keys()], ['tcp . 30080']);
  assert.equal(rendered({ external: externalRules() }).nodePorts.size, 0);
});

test('source ranges: a wall before the addresses that have one', () => {
  const firewall = { addresses: ['203.0.113.5'], sources: ['198.51.100.0/24', '192.0.2.0/24'] };
  const { chains, destinations } = rendered({
    external: externalRules({ addresses: ['203.0.113.5', '203.0.113.6'] }),
    firewall,
  });
  assert.deepEqual(chains.get(WALL), ['ip saddr != { 192.0.2.0/24, 198.51.100.0/24 } drop']);
  assert.equal(destinations.get(OUTER)?.firewall, `goto ${WALL}`);
  assert.equal(destinations.get('203.0.113.6 . tcp . 80')?.firewall, undefined);
});

test('source ranges: one in another is none beside it, and where nobody is named nobody comes in', () => {
  const wallOf = (sources: readonly string[]) =>
    rendered({ external: externalRules(), firewall: { addresses: ['203.0.113.5'], sources } }).chains.get(WALL);
  assert.deepEqual(wallOf(['10.1.0.0/16', '10.0.0.0/8', '10.0.0.1/32']), ['ip saddr != { 10.0.0.0/8 } drop']);
  assert.deepEqual(wallOf([]), ['drop']);
});

for (const [family, address, ip, to] of [
  ['IPv4', '10.244.1.3', 'ip', '10.244.1.3:8080'],
  ['IPv6', 'fd02::3', 'ip6', '[fd02::3]:8080'],
] as const)
  test(`clients keep their endpoint over ${family}`, () => {
    const cluster = [{ ...THERE, address }];
    const { chains, affinitySets } = rendered({ family, affinitySeconds: 60, backends: { cluster, local: [] } });
    const end = serviceName('endpoint', `s/${address}/8080`);
    const set = serviceName('affinity', `s/${address}/8080/60`);
    assert.deepEqual([...affinitySets], [[set, 60]]);
    assert.deepEqual(chains.get(end), [`update @${set} { ${ip} saddr }`, `meta l4proto tcp dnat to ${to}`]);
    assert.deepEqual(chains.get(SERVICE), [
      `${ip} saddr @${set} goto ${end}`,
      `numgen random mod 1 vmap { 0 : goto ${end} }`,
    ]);
  });

test('an endpoint of this node that asks itself is told once', () => {
  const backends = { cluster: [HERE, THERE, { ...HERE, port: 1 }], local: [HERE] };
  assert.deepEqual(rendered({ backends }).hairpins, ['10.244.0.2 . 10.244.0.2']);
});
