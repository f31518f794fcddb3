import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Container, Pod, Service } from '@binnacle/api/core/v1';
import { hintsOf } from './endpointslice/desired.ts';
import {
  addressesOf,
  belongsInEndpoints,
  concernsEndpoints,
  familiesOf,
  hostnameOf,
  onEachPod,
  targetPortsOf,
} from './service-endpoints.ts';

const pod = (status: NonNullable<Pod['status']>, more: { going?: boolean; spec?: Partial<Pod['spec']> } = {}): Pod => ({
  metadata: { name: 'p', ...(more.going === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  spec: { containers: [], ...more.spec },
  status,
});
const service = (spec: Partial<Service['spec']> = {}): Service => ({ metadata: { name: 's' }, spec: { ...spec } });
const DUAL = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] };

for (const [name, status, family, wanted] of [
  ['none yet', {}, undefined, []],
  ['of an old kubelet', { podIP: '10.0.0.1' }, undefined, ['10.0.0.1']],
  ['the empty one is none', { podIP: '' }, undefined, []],
  ['all', DUAL, undefined, ['10.0.0.1', 'fd00::1']],
  ['of IPv4', DUAL, 'IPv4', ['10.0.0.1']],
  ['of IPv6', DUAL, 'IPv6', ['fd00::1']],
  ['of a family that it lacks', { podIP: '10.0.0.1' }, 'IPv6', []],
] as const)
  test(`addresses of a pod: ${name}`, () => assert.deepEqual(addressesOf(pod(status), family), wanted));

const HAS = { phase: 'Running', podIP: '10.0.0.1' } as const;
for (const [name, one, among, amongWithGoing] of [
  ['it runs', pod(HAS), true, true],
  ['it has no address', pod({ phase: 'Running' }), false, false],
  ['it succeeded', pod({ ...HAS, phase: 'Succeeded' }), false, false],
  ['it failed', pod({ ...HAS, phase: 'Failed' }), false, false],
  ['it is going', pod(HAS, { going: true }), false, true],
  ['it is pending, with an address', pod({ ...HAS, phase: 'Pending' }), true, true],
] as const)
  test(`a place among endpoints: ${name}`, () => {
    assert.equal(belongsInEndpoints(one, { terminating: false }), among);
    assert.equal(belongsInEndpoints(one, { terminating: true }), amongWithGoing);
  });

const ON_NODE = { spec: { nodeName: 'n' } } as const;
for (const [name, before, after, wanted] of [
  ['it came without an address', undefined, pod({ phase: 'Pending' }), false],
  ['it found its node', pod({ phase: 'Pending' }), pod({ phase: 'Pending' }, ON_NODE), false],
  ['it went before it had an address', pod({ phase: 'Pending' }), undefined, false],
  ['it has its address', pod({ phase: 'Pending' }, ON_NODE), pod(HAS, ON_NODE), true],
  ['it came with an address', undefined, pod(HAS), true],
  ['it went', pod(HAS), undefined, true],
  ['it succeeded', pod(HAS), pod({ ...HAS, phase: 'Succeeded' }), true],
  ['it is ready', pod(HAS), pod({ ...HAS, conditions: [{ type: 'Ready', status: 'True' }] }), true],
  ['it is going', pod(HAS), pod(HAS, { going: true }), true],
  ['something else of it', pod(HAS), pod({ ...HAS, message: 'm' }), false],
] as const)
  test(`services hear of a pod: ${name}`, () => assert.equal(concernsEndpoints(before, after), wanted));

for (const [name, spec, wanted] of [
  ['as it says', { ipFamilies: ['IPv6', 'IPv4'], clusterIP: '10.0.0.1' }, ['IPv6', 'IPv4']],
  ['of its address', { clusterIP: 'fd00::1' }, ['IPv6']],
  ['an unknown one is none', { ipFamilies: ['IPv5'], clusterIP: '10.0.0.1' }, ['IPv4']],
  ['headless: both', { clusterIP: 'None' }, ['IPv4', 'IPv6']],
  ['no address: both', {}, ['IPv4', 'IPv6']],
] as const)
  test(`families of a service: ${name}`, () => {
    assert.deepEqual(familiesOf(service(spec as Partial<Service['spec']>)), wanted);
  });

const container = (name: string, port: number, more: Partial<Container> = {}): Container => ({
  name,
  image: 'i',
  ports: [{ name: 'web', containerPort: port }],
  ...more,
});
const dns = { ports: [{ name: 'dns', containerPort: 53, protocol: 'UDP' as const }] };
const PORTS: Pod = pod(
  {},
  {
    spec: {
      containers: [container('a', 8080), container('b', 9090), container('d', 0, dns)],
      initContainers: [
        container('init', 1, { ports: [{ name: 'once', containerPort: 1 }] }),
        container('side', 2, { ports: [{ name: 'side', containerPort: 2 }], restartPolicy: 'Always' }),
      ],
    },
  },
);
for (const [name, port, wanted] of [
  ['its own where nothing is said', { port: 80 }, 80],
  ['the empty name is nothing', { port: 80, targetPort: '' }, 80],
  ['zero is nothing', { port: 80, targetPort: 0 }, 80],
  ['a number', { port: 80, targetPort: 81 }, 81],
  ['a name: the first container that has it', { port: 80, targetPort: 'web' }, 8080],
  ['a name of another protocol', { port: 80, targetPort: 'web', protocol: 'UDP' }, undefined],
  ['a name of this protocol', { port: 80, targetPort: 'dns', protocol: 'UDP' }, 53],
  ['a name that nobody has', { port: 80, targetPort: 'nobody' }, undefined],
  ['a name of a sidecar', { port: 80, targetPort: 'side' }, 2],
  ['a name of what ends before the pod runs', { port: 80, targetPort: 'once' }, undefined],
] as const)
  test(`where a port leads: ${name}`, () => assert.equal(targetPortsOf(PORTS)(port), wanted));

for (const [name, spec, wanted] of [
  ['a name below its service', { hostname: 'a', subdomain: 's' }, 'a'],
  ['below another service', { hostname: 'a', subdomain: 't' }, undefined],
  ['no subdomain', { hostname: 'a' }, undefined],
  ['no hostname', { subdomain: 's' }, undefined],
  ['the empty hostname', { hostname: '', subdomain: 's' }, undefined],
] as const)
  test(`the name of a pod in DNS: ${name}`, () => assert.equal(hostnameOf(pod({}, { spec }), service()), wanted));

const zones = { forZones: [{ name: 'z' }] };
const nodes = { forNodes: [{ name: 'n' }] };
for (const [name, distribution, zone, node, wanted] of [
  ['nothing is asked for', undefined, 'z', 'n', undefined],
  ['a word that is not known', 'PreferFar', 'z', 'n', undefined],
  ['the same zone', 'PreferSameZone', 'z', 'n', zones],
  ['by its old name', 'PreferClose', 'z', 'n', zones],
  ['the same zone, which is not known', 'PreferSameZone', undefined, 'n', undefined],
  ['the same node, else the zone', 'PreferSameNode', 'z', 'n', { ...zones, ...nodes }],
  ['the same node, no zone', 'PreferSameNode', undefined, 'n', nodes],
  ['the same node, on none yet', 'PreferSameNode', 'z', '', zones],
  ['neither', 'PreferSameNode', undefined, '', undefined],
] as const)
  test(`who should prefer an endpoint: ${name}`, () => assert.deepEqual(hintsOf(distribution, zone, node), wanted));

test('what a service has on pods is made once for those whose ports have the same names', () => {
  const named = (...ports: readonly number[]): Pod =>
    pod({}, { spec: { containers: ports.map((port, at) => container(`c${at}`, port)) } });
  const ports = [{ name: 'web', port: 80, targetPort: 'web' }];
  let made = 0;
  const on = onEachPod(service({ ports }), (targetOf) => {
    made++;
    return ports.map(targetOf).join();
  });
  assert.deepEqual([named(8080), named(8080, 9090), named(9090), named(), named(8080)].map(on), [
    '8080',
    '8080',
    '9090',
    '',
    '8080',
  ]);
  assert.equal(made, 3);
});
