import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import type { EndpointSubset, Service } from '@binnacle/api/core/v1';
import { mirroredGroups } from './desired.ts';
import { isMirrored } from './wiring.ts';

const at = (...ips: readonly string[]): { ip: string }[] => ips.map((ip) => ({ ip }));
const ports = (...numbers: readonly number[]): { port: number }[] => numbers.map((port) => ({ port }));
/** `family ports: addresses`, those that are not ready with an exclamation mark. */
function told(...subsets: readonly EndpointSubset[]): readonly string[] {
  const { groups, skipped, invalid } = mirroredGroups({ metadata: {}, subsets });
  const lines = groups.map(({ family, ports: open, endpoints }) => {
    const who = endpoints.map((one) => `${one.conditions?.ready === true ? '' : '!'}${one.addresses.join('+')}`);
    return `${family} ${open.map(({ port }) => port).join()}: ${who.join(' ')}`;
  });
  return [...lines, ...(skipped === 0 ? [] : [`skipped ${skipped}, invalid ${invalid}`])];
}

// Upstream packs the subsets anew before it looks at them: each address once a port, not ready over ready.
for (const [name, subsets, expected] of [
  ['none', [], []],
  ['a subset of nobody', [{ ports: ports(80) }], []],
  [
    'ready ones first',
    [{ notReadyAddresses: at('192.0.2.1'), addresses: at('192.0.2.2'), ports: ports(80) }],
    ['IPv4 80: 192.0.2.2 !192.0.2.1'],
  ],
  [
    'two families',
    [{ addresses: at('192.0.2.1', '2001:db8::1'), ports: ports(80) }],
    ['IPv4 80: 192.0.2.1', 'IPv6 80: 2001:db8::1'],
  ],
  ['without ports', [{ addresses: at('192.0.2.1') }], ['IPv4 : 192.0.2.1']],
  ['one address twice', [{ addresses: at('192.0.2.1', '192.0.2.1'), ports: ports(80) }], ['IPv4 80: 192.0.2.1']],
  [
    'called ready and not ready: not ready',
    [{ addresses: at('192.0.2.1'), notReadyAddresses: at('192.0.2.1'), ports: ports(80) }],
    ['IPv4 80: !192.0.2.1'],
  ],
  [
    'the same addresses at other ports: one subset',
    [
      { addresses: at('192.0.2.1', '192.0.2.2'), ports: ports(80) },
      { addresses: at('192.0.2.2', '192.0.2.1'), ports: ports(443) },
    ],
    ['IPv4 80,443: 192.0.2.1 192.0.2.2'],
  ],
  [
    'other addresses at a port of two subsets',
    [
      { addresses: at('192.0.2.1'), ports: ports(80, 443) },
      { addresses: at('192.0.2.2'), ports: ports(80) },
    ],
    ['IPv4 80: 192.0.2.1 192.0.2.2', 'IPv4 443: 192.0.2.1'],
  ],
  [
    'ready at one port only',
    [
      { addresses: at('192.0.2.1'), ports: ports(80) },
      { notReadyAddresses: at('192.0.2.1'), ports: ports(443) },
    ],
    ['IPv4 80: 192.0.2.1', 'IPv4 443: !192.0.2.1'],
  ],
  ['IPv6 in its proper form', [{ addresses: at('2001:DB8:0::01'), ports: ports(80) }], ['IPv6 80: 2001:db8::1']],
  ['IPv4 with zeros before', [{ addresses: at('192.000.002.010'), ports: ports(80) }], ['IPv4 80: 192.0.2.10']],
  ['IPv4 in the dress of IPv6', [{ addresses: at('::ffff:192.0.2.1'), ports: ports(80) }], ['IPv4 80: 192.0.2.1']],
  [
    'what is no address',
    [{ addresses: at('constructor', '192.0.2.1', ''), ports: ports(80) }],
    ['IPv4 80: 192.0.2.1', 'skipped 2, invalid 2'],
  ],
] as const)
  test(`mirrored: ${name}`, () => assert.deepEqual(told(...subsets), expected));

test('a thousand of a subset are mirrored, ready ones first', () => {
  const many = Array.from({ length: 600 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  const others = many.map((ip) => ip.replace('10.', '11.'));
  const subsets = [{ addresses: at('none', ...many), notReadyAddresses: at(...others), ports: ports(80) }];
  const { groups, skipped, invalid } = mirroredGroups({ metadata: {}, subsets });
  const ready = groups[0]?.endpoints.filter((one) => one.conditions?.ready === true);
  assert.deepEqual([ready?.length, groups[0]?.endpoints.length, skipped, invalid], [600, 1000, 201, 1]);
});

test('what an address and a port say travels', () => {
  const targetRef = { kind: 'Pod', name: 'p', uid: 'u' };
  const named = { ip: '192.0.2.1', hostname: 'h', nodeName: 'n', targetRef };
  const odd = { port: 80, name: 'web', protocol: 'UDP' as const, appProtocol: 'h2c' };
  const twice = [
    { addresses: [named, { ...named, hostname: '', targetRef: { ...targetRef, uid: 'other' } }], ports: [odd] },
  ];
  assert.deepEqual(mirroredGroups({ metadata: {}, subsets: twice }).groups, [
    {
      family: 'IPv4',
      ports: [odd],
      endpoints: [
        {
          addresses: ['192.0.2.1'],
          conditions: { ready: true },
          targetRef: { ...targetRef, uid: 'other' },
          nodeName: 'n',
        },
        { addresses: ['192.0.2.1'], conditions: { ready: true }, hostname: 'h', targetRef, nodeName: 'n' },
      ],
    },
  ]);
});

test('many ports of many addresses cost their sum and not their product', () => {
  const addresses = at(...Array.from({ length: 30_000 }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
  const subsets = [{ addresses, ports: ports(...Array.from({ length: 20_000 }, (_, n) => n + 1)) }];
  const ms = cpuMs(() => {
    assert.equal(mirroredGroups({ metadata: {}, subsets }).groups[0]?.ports.length, 20_000);
  });
  assert.ok(ms < 5000, `${ms}`);
});

const service = (spec: Service['spec'] = {}): Service => ({ metadata: {}, spec });
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
for (const [name, metadata, of, expected] of [
  ['made by hand', {}, service(), true],
  ['an empty selector is none', {}, service({ selector: {} }), true],
  ['of a controller', {}, service({ selector: { a: 'b' } }), false],
  ['no service', {}, undefined, false],
  ['not to be mirrored', { labels: { [SKIP]: 'true' } }, service(), false],
  ['said otherwise', { labels: { [SKIP]: 'True' } }, service(), true],
  ['the lock of an election', { annotations: { [LEADER]: '{}' } }, service(), false],
  ['the lock of an election, nobody holds it', { annotations: { [LEADER]: '' } }, service(), false],
] as const)
  test(`whether Endpoints are mirrored: ${name}`, () => assert.equal(isMirrored({ metadata }, of), expected));
