/**
 * The rules of random Services, walked by a packet, come to what the Service's definition says of that packet. The
 * definition is told a second time here, straight from the objects, without a thought of rules.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { createSeededRandom, ipRange, isInRange, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { NodeRules } from '@binnacle/network';
import { followPacket } from '@binnacle/network/testing';
import type { Packet } from '@binnacle/network/testing';
import { ServiceTable } from './service-table.ts';

const NODE = { nodeName: 'here', zone: 'z1', addresses: ['192.168.0.1', 'fd01::1'] };
const MACHINE = new Set([...NODE.addresses, '127.0.0.1', '::1']);
const PODS = ['10.244.0.0/16', 'fd02::/64'];
const SERVICES = ['10.96.0.0/12', 'fd03::/112'];

type Draw = <T>(choices: readonly [T, ...T[]]) => T;
type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

function drawFrom(random: Random): Draw {
  return (choices) => choices[randomBelow(random, choices.length)] as (typeof choices)[number];
}

function some<T>(draw: Draw, all: readonly T[]): T[] {
  return all.filter(() => draw([true, false]));
}

const BOTH = ['10.96.0.7', 'fd03::7'];

function drawService(draw: Draw): Service {
  const type = draw([
    'ClusterIP',
    'ClusterIP',
    'NodePort',
    'NodePort',
    'LoadBalancer',
    'LoadBalancer',
    'LoadBalancer',
    'ExternalName',
  ]);
  const isOpen = type === 'NodePort' || type === 'LoadBalancer';
  const families = draw([['10.96.0.7'], ['fd03::7'], BOTH, BOTH, BOTH, BOTH, BOTH, ['None']]);
  const ports = [
    {
      name: 'a',
      port: 80,
      protocol: draw(['TCP', 'TCP', 'TCP', 'TCP', 'TCP', 'UDP']),
      ...(isOpen ? { nodePort: draw([30_080, 0]) } : {}),
    },
    { name: 'b', port: 81, protocol: 'TCP', ...(isOpen ? { nodePort: 30_081 } : {}) },
  ];
  const policy = draw(['Cluster', 'Local']);
  return {
    metadata: { name: 'web', namespace: 'ns' },
    spec: {
      type,
      clusterIPs: families,
      ports: ports.slice(0, draw([1, 2])),
      internalTrafficPolicy: draw(['Cluster', 'Local']),
      externalIPs: some(draw, ['203.0.113.5', 'fd05::5']),
      ...(isOpen || draw([true, false]) ? { externalTrafficPolicy: policy } : {}),
      loadBalancerSourceRanges: some(draw, ['198.51.100.0/24', ' fd06::/64', draw(['192.168.0.0/24', '0.0.0.0/0'])]),
      ...(draw([true, false]) ? { sessionAffinity: 'ClientIP' } : {}),
    },
    status: {
      loadBalancer: {
        ingress:
          type === 'LoadBalancer' ? some(draw, [{ ip: '203.0.113.9', ipMode: draw(['VIP', 'Proxy'] as const) }]) : [],
      },
    },
  } as unknown as Service;
}

function drawSlices(draw: Draw): EndpointSlice[] {
  const everyHint = draw([true, false]);
  return ['one', 'two', 'three'].slice(0, draw([0, 1, 2, 2, 3, 3, 3])).map((name) => {
    const six = draw([true, false]);
    const hosts = some(draw, six ? ['fd02::1', 'fd02::2'] : ['10.244.0.1', '10.244.1.2', '10.244.1.3', '192.0.2.4']);
    return {
      metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: six ? 'IPv6' : 'IPv4',
      ports: [
        { name: 'a', port: draw([8080, 8081]), protocol: draw(['TCP', 'TCP', 'TCP', 'TCP', 'TCP', 'UDP']) },
        ...(draw([true, false, false])
          ? [{ name: 'c', port: 9000 }, { name: 'a' }]
          : [{ name: 'b', port: draw([8080, 9090]) }]),
      ],
      endpoints: hosts.map((address) => ({
        addresses: [address],
        nodeName: draw(['here', 'there']),
        conditions: draw<NonNullable<Endpoint['conditions']>>([
          {},
          {},
          { ready: true, serving: true },
          { ready: true, serving: true, terminating: false },
          { ready: false, serving: false },
          { ready: false, serving: true, terminating: true },
          { ready: false, serving: false, terminating: true },
        ]),
        ...(everyHint || draw([true, false, false])
          ? { hints: draw([{ forNodes: [{ name: 'here' }] }, { forZones: [{ name: draw(['z1', 'z2']) }] }]) }
          : {}),
      })),
    } as unknown as EndpointSlice;
  });
}

/** A packet that means the Service, more often than not. */
function drawPacket(draw: Draw): Packet {
  const six = draw([true, false, false]);
  const [sources, clusterIP, others, node] = six ? SIX : FOUR;
  const [destination, ports] = draw<readonly [string, readonly [number, ...number[]]]>([
    [clusterIP, [80, 80, 81]],
    [clusterIP, [80, 81, 99]],
    [draw(others), [80, 80, 81]],
    [draw(node), [30_080, 30_080, 30_081, 80]],
  ]);
  return {
    source: draw(sources),
    destination,
    protocol: draw(['tcp', 'tcp', 'tcp', 'tcp', 'tcp', 'udp']),
    port: draw(ports),
  };
}

type Addresses = readonly [string, ...string[]];
type Around = readonly [sources: Addresses, clusterIP: string, others: Addresses, node: Addresses];
const FOUR: Around = [
  ['10.244.0.1', '10.244.9.9', '192.168.0.1', '198.51.100.3', '172.16.0.1'],
  '10.96.0.7',
  ['203.0.113.5', '203.0.113.9', '203.0.113.9', '10.96.0.8', '1.1.1.1'],
  ['192.168.0.1', '192.168.0.1', '127.0.0.1'],
];
const SIX: Around = [
  ['fd02::1', 'fd02::9', 'fd01::1', 'fd06::8', 'fd09::9'],
  'fd03::7',
  ['fd05::5', 'fd05::5', 'fd03::8'],
  ['fd01::1', 'fd01::1', '::1'],
];

/** `10.0.0.1:80`, with `~` before it where the source is replaced; or the one word of what else becomes of it. */
type Told = readonly string[];

interface Case {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly node: NodeRules;
  readonly packet: Packet;
  /** Nodes that reach the world through this one. */
  readonly guests: readonly string[];
}

const within = (ranges: readonly string[], address: string): boolean =>
  ranges.some((range) => isInRange(ipRange(range)!, address));

/** What the Service's definition says. */
function defined({ service, slices, node, packet, guests }: Case): Told {
  const { spec, status } = service;
  const { source, destination } = packet;
  const own = MACHINE.has(source);
  const six = destination.includes(':');
  const clusterIP = (spec?.type === 'ExternalName' ? [] : (spec?.clusterIPs ?? [])).find(
    (ip) => ip !== 'None' && ip.includes(':') === six,
  );
  const nothing: Told = [
    clusterIP === destination ? 'reject' : within(node.serviceRanges, destination) ? 'drop' : 'pass',
  ];
  if (clusterIP === undefined) return nothing;
  if (node.insiders !== undefined && !own && !within(node.insiders, source)) return nothing;
  const balancers = (status?.loadBalancer?.ingress ?? []).filter(({ ipMode }) => ipMode === 'VIP').map(({ ip }) => ip);
  const isNodeAddress = node.nodePortAddresses?.includes(destination) ?? NODE.addresses.includes(destination);
  const spoken = (spec?.ports ?? []).filter(({ protocol }) => protocol?.toLowerCase() === packet.protocol);
  const inside = spoken.find(({ port }) => destination === clusterIP && port === packet.port);
  const outside = spoken.find(({ port, nodePort }) =>
    [...(spec?.externalIPs ?? []), ...balancers].includes(destination)
      ? port === packet.port
      : isNodeAddress && nodePort === packet.port,
  );
  const port = inside ?? outside;
  if (port === undefined) return nothing;
  const ranges = (spec?.loadBalancerSourceRanges ?? []).map((r) => r.trim()).filter((r) => r.includes(':') === six);
  if (inside === undefined && balancers.includes(destination) && ranges.length > 0) {
    const nodeMay = NODE.addresses.some((address) => within(ranges, address));
    if (!within(ranges, source) && !(nodeMay && source === destination)) return ['drop'];
  }
  const fromHere = own || within(node.podRanges, source);
  const isLocal =
    inside === undefined
      ? spec?.externalTrafficPolicy === 'Local' && !fromHere
      : spec?.internalTrafficPolicy === 'Local';
  const ends = reachable(slices, { name: port.name ?? '', protocol: packet.protocol, six });
  const up = ends.filter(({ state }) => state === 'ready');
  const leaving = ends.filter(({ state }) => state === 'leaving');
  if (up.length + leaving.length === 0) return ['reject'];
  const orLeaving = (here: (end: End) => boolean): End[] => (up.some(here) ? up.filter(here) : leaving.filter(here));
  const isHere = ({ node: at }: End): boolean =>
    at === 'here' || (inside === undefined && spec?.type === 'LoadBalancer' && guests.includes(at));
  const chosen = isLocal ? orLeaving(isHere) : up.length > 0 ? near(up) : leaving;
  if (chosen.length === 0) return ['drop'];
  const masked =
    inside === undefined
      ? spec?.externalTrafficPolicy !== 'Local' || own
      : node.masqueradeAll || !within(node.podRanges, source);
  return chosen
    .map(({ address, port: at, node: where }) => {
      const hairpin = where === 'here' && address === source;
      return `${masked || hairpin ? '~' : ''}${address}:${at}`;
    })
    .toSorted();
}

interface End {
  readonly address: string;
  readonly port: number;
  readonly node: string;
  readonly state: 'ready' | 'leaving' | 'down';
  readonly hints: Endpoint['hints'];
}

/** Every endpoint of the port, once. */
function reachable(
  slices: readonly EndpointSlice[],
  { name, protocol, six }: { readonly name: string; readonly protocol: string; readonly six: boolean },
): End[] {
  const ends = slices
    .filter(({ addressType }) => addressType === (six ? 'IPv6' : 'IPv4'))
    .flatMap(({ ports, endpoints }) =>
      (ports ?? [])
        .filter((port) => port.name === name && (port.protocol ?? 'TCP').toLowerCase() === protocol)
        .flatMap(({ port }) =>
          (endpoints ?? []).map(({ addresses: [address = ''], nodeName = '', conditions = {}, hints }): End => {
            const ready = conditions.ready ?? true;
            const leaving = (conditions.serving ?? ready) && conditions.terminating === true;
            return {
              address,
              port: port ?? 0,
              node: nodeName,
              state: ready ? 'ready' : leaving ? 'leaving' : 'down',
              hints,
            };
          }),
        ),
    )
    .filter(({ port }) => port !== 0);
  const same = (end: End) => (other: End) => other.address === end.address && other.port === end.port;
  return ends.filter((end, at) => {
    // The first that is ready speaks for a place; where none is, the last one.
    const told = ends.filter(same(end));
    return (told.find(({ state }) => state === 'ready') ?? told.at(-1)) === ends[at];
  });
}

function near(up: readonly End[]): readonly End[] {
  const forNode = up.filter(({ hints }) => hints?.forNodes?.some(({ name }) => name === 'here'));
  if (up.every(({ hints }) => (hints?.forNodes ?? []).length > 0) && forNode.length > 0) return forNode;
  const forZone = up.filter(({ hints }) => hints?.forZones?.some(({ name }) => name === 'z1'));
  return up.every(({ hints }) => (hints?.forZones ?? []).length > 0) && forZone.length > 0 ? forZone : up;
}

/** What the rules come to. */
function ruled({ service, slices, node, packet, guests }: Case): Told {
  const table = new ServiceTable({ ...NODE, guests });
  for (const slice of slices) table.setSlice(slice);
  table.setService(service);
  const outcome = followPacket({ node, services: [...table.all().values()], addresses: MACHINE }, packet);
  if (outcome.to !== 'backends') return [outcome.to];
  return outcome.backends
    .map((backend) => `${outcome.masquerades(backend) ? '~' : ''}${backend.address}:${backend.port}`)
    .toSorted();
}

test('rules come to what the definition of the Service says', () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= 4000; seed++) {
    const draw = drawFrom(createSeededRandom(seed));
    const service = drawService(draw);
    const slices = drawSlices(draw);
    const node: NodeRules = {
      podRanges: PODS,
      serviceRanges: SERVICES,
      masqueradeAll: draw([false, false, true]),
      masqueradeBit: 14,
      ...(draw([true, false]) ? {} : { insiders: [...PODS, '198.51.100.0/24', 'fd06::/64'] }),
      ...(draw([true, true, false]) ? {} : { nodePortAddresses: ['192.168.0.1'] }),
    };
    const guests = draw<readonly string[]>([[], ['there']]);
    for (let packets = 0; packets < 6; packets++) {
      const one: Case = { service, slices, node, packet: drawPacket(draw), guests };
      const expected = defined(one);
      assert.deepEqual(ruled(one), expected, `seed ${seed}: ${JSON.stringify(one)}`);
      const [word = ''] = expected;
      const kind = word.startsWith('~') ? 'masked' : word.includes(':') ? 'plain' : word;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  }
  for (const kind of ['masked', 'plain', 'reject', 'drop', 'pass']) {
    assert.ok((seen.get(kind) ?? 0) > 400, `${kind} was hardly tried: ${seen.get(kind)}`);
  }
});
