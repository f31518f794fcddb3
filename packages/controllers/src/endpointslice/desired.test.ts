import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Node, Pod, PodSpec, Service, ServicePort } from '@binnacle/api/core/v1';
import { desiredGroups, hintsOf } from './desired.ts';

interface PodFacts {
  readonly ready?: boolean;
  readonly going?: boolean;
  readonly phase?: 'Running' | 'Failed';
  readonly ips?: readonly string[];
  readonly spec?: Partial<PodSpec>;
}
const pod = (name: string, facts: PodFacts = {}): Pod => ({
  metadata: {
    name,
    namespace: 'ns',
    uid: name,
    ...(facts.going === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  },
  spec: {
    containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 9000 }] }],
    nodeName: 'n',
    ...facts.spec,
  },
  status: {
    phase: facts.phase ?? 'Running',
    podIPs: (facts.ips ?? ['10.0.0.1', 'fd00::1']).map((ip) => ({ ip })),
    conditions: [{ type: 'Ready', status: facts.ready === false ? 'False' : 'True' }],
  },
});
const HTTP: ServicePort = { name: 'http', port: 80, targetPort: 8080 };
const service = (spec: Partial<Service['spec']> = {}): Service => ({
  metadata: { name: 'web' },
  spec: { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'], ports: [HTTP], ...spec },
});
const node = (zone?: string): Node => ({
  metadata: { name: 'n', labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone } },
  spec: {},
});
const onNode = (name: string): Node | undefined => (name === 'n' ? node('a') : undefined);

const DUAL = { ipFamilies: ['IPv4', 'IPv6'] } as const;
const UNREADY = { publishNotReadyAddresses: true };
/** `family ports: pod conditions` with r(eady), s(erving), t(erminating). */
const ROWS: readonly [name: string, spec: Partial<Service['spec']>, facts: PodFacts, expected: readonly string[]][] = [
  ['ready', {}, {}, ['IPv4 8080: 10.0.0.1 rs']],
  ['not ready: listed all the same', {}, { ready: false }, ['IPv4 8080: 10.0.0.1 ']],
  ['it goes: serves still', {}, { going: true }, ['IPv4 8080: 10.0.0.1 st']],
  ['it goes and is not ready', {}, { going: true, ready: false }, ['IPv4 8080: 10.0.0.1 t']],
  ['published whatever it is', UNREADY, { going: true, ready: false }, ['IPv4 8080: 10.0.0.1 rt']],
  ['ended', {}, { phase: 'Failed' }, []],
  ['no address', {}, { ips: [] }, []],
  ['both families', DUAL, {}, ['IPv4 8080: 10.0.0.1 rs', 'IPv6 8080: fd00::1 rs']],
  ['both asked for, one had', DUAL, { ips: ['fd00::1'] }, ['IPv6 8080: fd00::1 rs']],
  ['its node is gone', {}, { spec: { nodeName: 'gone' } }, []],
  ['its node is gone, published whatever it is', UNREADY, { spec: { nodeName: 'gone' } }, ['IPv4 8080: 10.0.0.1 rs']],
  ['on no node', {}, { spec: { nodeName: '' } }, []],
  ['a port by its name', { ports: [{ port: 80, targetPort: 'web' }] }, {}, ['IPv4 9000: 10.0.0.1 rs']],
  [
    'a port by a name that nobody has',
    { ports: [{ port: 80, targetPort: 'constructor' }] },
    {},
    ['IPv4 : 10.0.0.1 rs'],
  ],
  [
    'a port by its name, of another protocol',
    { ports: [{ port: 80, targetPort: 'web', protocol: 'UDP' }, HTTP] },
    {},
    ['IPv4 8080: 10.0.0.1 rs'],
  ],
  ['headless without ports', { clusterIP: 'None', ports: [] }, {}, ['IPv4 : 10.0.0.1 rs']],
];
for (const [name, spec, facts, expected] of ROWS)
  test(`endpoints of a service: ${name}`, () => {
    const told = desiredGroups(service(spec), [pod('p', facts)], onNode).map(({ family, ports, endpoints }) => {
      const who = endpoints.map(({ addresses, conditions: { ready, serving, terminating } = {} }) => {
        const marks = [ready === true ? 'r' : '', serving === true ? 's' : '', terminating === true ? 't' : ''];
        return `${addresses.join('+')} ${marks.join('')}`;
      });
      return `${family} ${ports.map(({ port }) => port).join()}: ${who.join(' ')}`;
    });
    assert.deepEqual(told, expected);
  });

test('pods whose ports differ do not share a group', () => {
  const other = { containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 9001 }] }] };
  const pods = [pod('a'), pod('b', { spec: other }), pod('c')];
  const groups = desiredGroups(service({ ports: [{ port: 80, targetPort: 'web' }] }), pods, onNode);
  assert.deepEqual(
    groups.map(({ ports, endpoints }) => [ports[0]?.port, endpoints.map(({ targetRef }) => targetRef?.name)]),
    [
      [9000, ['a', 'c']],
      [9001, ['b']],
    ],
  );
});

const endpointOn = (on: Node | undefined, spec: Partial<Service['spec']> = {}, facts: PodFacts = {}) =>
  desiredGroups(service(spec), [pod('p', facts)], () => on)[0]?.endpoints[0];
test('an endpoint tells its pod, node, zone and name', () => {
  const spec = { hostname: 'h', subdomain: 'web' };
  assert.deepEqual(endpointOn(node('a'), {}, { spec }), {
    addresses: ['10.0.0.1'],
    conditions: { ready: true, serving: true, terminating: false },
    hostname: 'h',
    targetRef: { kind: 'Pod', namespace: 'ns', name: 'p', uid: 'p' },
    nodeName: 'n',
    zone: 'a',
  });
  assert.equal(endpointOn(node(''))?.zone, undefined, 'an empty label is no zone');
  assert.equal(endpointOn(node(), {}, { spec: { ...spec, subdomain: 'other' } })?.hostname, undefined);
  assert.equal('nodeName' in (endpointOn(undefined, UNREADY, { spec: { nodeName: '' } }) ?? {}), false);
});

test('hints: for who is ready, by distribution', () => {
  const spread = { trafficDistribution: 'PreferSameZone' } as const;
  assert.deepEqual(endpointOn(node('a'), spread)?.hints, { forZones: [{ name: 'a' }] });
  assert.equal(endpointOn(node('a'), spread, { ready: false })?.hints, undefined);
  const [zone, nodes] = [[{ name: 'a' }], [{ name: 'n' }]];
  for (const [distribution, inZone, onNamed, expected] of [
    [undefined, 'a', 'n', undefined],
    ['constructor', 'a', 'n', undefined],
    ['PreferClose', 'a', 'n', { forZones: zone }],
    ['PreferSameZone', 'a', 'n', { forZones: zone }],
    ['PreferSameZone', undefined, 'n', undefined],
    ['PreferSameNode', 'a', 'n', { forZones: zone, forNodes: nodes }],
    ['PreferSameNode', undefined, 'n', { forNodes: nodes }],
    ['PreferSameNode', undefined, '', undefined],
  ] as const)
    assert.deepEqual(hintsOf(distribution, inZone, onNamed), expected, `${distribution} ${inZone} ${onNamed}`);
});
