/**
 * Random policies, pods and namespaces that come, change and go: what they are told as, walked by a packet, comes to what
 * the definition of NetworkPolicy says of it. The definition is told a second time here, straight from the objects.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Namespace, Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@binnacle/api/networking/v1';
import { createSeededRandom, ipRange, isInRange, randomBelow } from '@binnacle/base';
import type { LabelSelector } from '@binnacle/machinery';
import type { PolicyChanges } from '@binnacle/network';
import { passesPolicies } from '@binnacle/network/testing';
import type { ForwardedPacket } from '@binnacle/network/testing';
import { PolicyTable } from './policy-table.ts';

type Draw = <T>(choices: readonly [T, ...T[]]) => T;

const NAMESPACES = ['x', 'y', 'z'] as const;
const HOSTS = ['a', 'b', 'c'] as const;
const OUTSIDE = ['192.0.2.9', 'fd99::9'];

function drawSelector(draw: Draw): LabelSelector {
  return draw<LabelSelector>([
    {},
    { matchLabels: { app: 'a' } },
    { matchLabels: { app: 'b' } },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] },
    { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
    { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'c'] }] },
  ]);
}

function drawPeer(draw: Draw): NetworkPolicyPeer {
  return draw<NetworkPolicyPeer>([
    { podSelector: drawSelector(draw) },
    { namespaceSelector: drawSelector(draw) },
    { namespaceSelector: drawSelector(draw), podSelector: drawSelector(draw) },
    { ipBlock: { cidr: '10.0.0.0/16', except: ['10.0.1.0/24'] } },
    { ipBlock: { cidr: 'fd00::/16' } },
    { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '10.0.1.0/24'] } },
  ]);
}

function drawPort(draw: Draw): NetworkPolicyPort {
  return draw<NetworkPolicyPort>([
    { port: 80 },
    { port: 80, endPort: 90, protocol: 'TCP' },
    { protocol: 'UDP' },
    { port: 'web', protocol: 'TCP' },
    { port: 'dns', protocol: 'UDP' },
    { port: 'none' },
  ]);
}

const several = <T>(draw: Draw, one: () => T): T[] => Array.from({ length: draw([0, 1, 1, 2]) }, one);

function drawPolicy(draw: Draw, namespace: string, name: string): NetworkPolicy {
  const rule = () => ({
    ...(draw([true, true, false]) ? { ports: several(draw, () => drawPort(draw)) } : {}),
    peers: draw([true, true, false]) ? several(draw, () => drawPeer(draw)) : undefined,
  });
  const ingress = several(draw, rule).map(({ peers, ...ports }) => ({ ...ports, ...(peers && { from: peers }) }));
  const egress = several(draw, rule).map(({ peers, ...ports }) => ({ ...ports, ...(peers && { to: peers }) }));
  const types = draw<NetworkPolicy['spec']['policyTypes']>([['Ingress'], ['Egress'], ['Ingress', 'Egress'], undefined]);
  return {
    metadata: { name, namespace },
    spec: { podSelector: drawSelector(draw), ingress, egress, ...(types && { policyTypes: types }) },
  };
}

function drawPod(draw: Draw, namespace: string, name: string): Pod {
  const at = NAMESPACES.indexOf(namespace as 'x') * 10 + HOSTS.indexOf(name as 'a') + 1;
  const both = [{ ip: `10.0.${draw([0, 1])}.${at}` }, { ip: `fd00::${at}` }];
  const ports = [{ name: 'web', containerPort: draw([80, 8080]) }];
  const container = { name: 'c', ports: [...ports, { name: 'dns', containerPort: 53, protocol: 'UDP' }] };
  return {
    metadata: { name, namespace, labels: draw([{ app: 'a' }, { app: 'b' }, { app: 'b', tier: 't' }, {}]) },
    spec: {
      nodeName: draw(['here', 'here', 'there']),
      hostNetwork: draw([false, false, false, false, true]),
      containers: [container],
    },
    status: { phase: draw(['Running', 'Running', 'Running', 'Succeeded']), podIPs: draw([both, both, both, []]) },
  } as unknown as Pod;
}

interface World {
  readonly policies: Map<string, NetworkPolicy>;
  readonly pods: Map<string, Pod>;
  readonly namespaces: Map<string, Namespace>;
}

function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: { readonly [key: string]: string },
) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) =>
      operator === 'Exists' ? key in labels : (operator === 'In') === values.includes(labels[key] ?? ''),
    )
  );
}

const isOnItsOwn = ({ spec, status }: Pod): boolean => spec?.hostNetwork !== true && status?.phase === 'Running';
const addressesOf = ({ status }: Pod): string[] => (status?.podIPs ?? []).map(({ ip }) => ip);

function isPeer(
  world: World,
  peer: NetworkPolicyPeer,
  from: { readonly address: string; readonly namespace: string },
): boolean {
  const { ipBlock, namespaceSelector, podSelector } = peer;
  if (ipBlock !== undefined) {
    const within = (text: string): boolean => {
      const range = ipRange(text);
      return range !== undefined && isInRange(range, from.address);
    };
    return within(ipBlock.cidr) && !(ipBlock.except ?? []).some(within);
  }
  return [...world.pods.values()].some((pod) => {
    if (!isOnItsOwn(pod) || !addressesOf(pod).includes(from.address)) return false;
    if (!matches(podSelector ?? {}, pod.metadata.labels ?? {})) return false;
    const { namespace = '' } = pod.metadata;
    if (namespaceSelector === undefined) return namespace === from.namespace;
    const labels = world.namespaces.get(namespace)?.metadata.labels;
    return labels !== undefined && matches(namespaceSelector, labels);
  });
}

function isPort(
  world: World,
  { port, endPort, protocol = 'TCP' }: NetworkPolicyPort,
  packet: ForwardedPacket,
): boolean {
  if (protocol.toLowerCase() !== packet.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === 'number') return port <= packet.port && packet.port <= (endPort ?? port);
  return [...world.pods.values()].some(
    (pod) =>
      isOnItsOwn(pod) &&
      addressesOf(pod).includes(packet.destination) &&
      pod.spec?.containers.some(({ ports = [] }) =>
        ports.some(
          (one) => one.name === port && (one.protocol ?? 'TCP') === protocol && one.containerPort === packet.port,
        ),
      ),
  );
}

/** A name of a port means nothing at an address that only a block of addresses names. */
function isAllowed(
  world: World,
  rule: { readonly peers: readonly NetworkPolicyPeer[]; readonly ports: readonly NetworkPolicyPort[] },
  way: { readonly packet: ForwardedPacket; readonly namespace: string; readonly direction: 'ingress' | 'egress' },
): boolean {
  const { packet, namespace, direction } = way;
  const address = direction === 'ingress' ? packet.source : packet.destination;
  const peers = rule.peers.filter((peer) => isPeer(world, peer, { address, namespace }));
  if (rule.peers.length > 0 && peers.length === 0) return false;
  if (rule.ports.length === 0) return true;
  const namesMean =
    direction === 'ingress' || rule.peers.length === 0 || peers.some(({ ipBlock }) => ipBlock === undefined);
  return rule.ports.some((port) => (typeof port.port !== 'string' || namesMean) && isPort(world, port, packet));
}

/** What the definition says. */
function defined(world: World, packet: ForwardedPacket): boolean {
  if (packet.source === packet.destination) return true;
  return (['ingress', 'egress'] as const).every((direction) => {
    const own = direction === 'ingress' ? packet.destination : packet.source;
    const pod = [...world.pods.values()].find((one) => isOnItsOwn(one) && addressesOf(one).includes(own));
    if (pod === undefined || pod.spec?.nodeName !== 'here') return true;
    const bearing = [...world.policies.values()].filter(({ metadata, spec }) => {
      const types = spec.policyTypes ?? ['Ingress', ...((spec.egress ?? []).length > 0 ? ['Egress'] : [])];
      const isMeant =
        metadata.namespace === pod.metadata.namespace && matches(spec.podSelector, pod.metadata.labels ?? {});
      return isMeant && types.includes(direction === 'ingress' ? 'Ingress' : 'Egress');
    });
    if (bearing.length === 0) return true;
    return bearing.some(({ metadata: { namespace = '' }, spec }) =>
      direction === 'ingress'
        ? (spec.ingress ?? []).some(({ from: peers = [], ports = [] }) =>
            isAllowed(world, { peers, ports }, { packet, namespace, direction }),
          )
        : (spec.egress ?? []).some(({ to: peers = [], ports = [] }) =>
            isAllowed(world, { peers, ports }, { packet, namespace, direction }),
          ),
    );
  });
}

/** One thing comes, changes or goes. */
function step(draw: Draw, world: World, table: PolicyTable): void {
  const namespace = draw(NAMESPACES);
  const gone = draw([true, false, false, false]);
  const sort = draw(['policy', 'policy', 'pod', 'pod', 'namespace']);
  if (sort === 'policy') {
    const name = draw(['p', 'q']);
    const policy = drawPolicy(draw, namespace, name);
    if (gone) world.policies.delete(`${namespace}/${name}`);
    else world.policies.set(`${namespace}/${name}`, policy);
    if (gone) table.removePolicy(policy);
    else table.setPolicy(policy);
  } else if (sort === 'pod') {
    const name = draw(HOSTS);
    const pod = drawPod(draw, namespace, name);
    if (gone) world.pods.delete(`${namespace}/${name}`);
    else world.pods.set(`${namespace}/${name}`, pod);
    if (gone) table.removePod(pod);
    else table.setPod(pod);
  } else {
    const made = {
      metadata: { name: namespace, labels: draw<object>([{ app: 'a' }, { tier: 't' }, {}]) },
    } as unknown as Namespace;
    if (gone) world.namespaces.delete(namespace);
    else world.namespaces.set(namespace, made);
    if (gone) table.removeNamespace(made);
    else table.setNamespace(made);
  }
}

function drawPacket(draw: Draw, world: World): ForwardedPacket {
  const all = [...[...world.pods.values()].flatMap(addressesOf), ...OUTSIDE];
  const source = draw(all as [string]);
  const destination = draw(all.filter((one) => one.includes(':') === source.includes(':')) as [string]);
  return { source, destination, protocol: draw(['tcp', 'tcp', 'udp', 'other']), port: draw([80, 85, 8080, 53]) };
}

const emptyState = () => ({ groups: new Map(), destinations: new Map(), policies: new Map(), pods: new Map() });

function take(state: ReturnType<typeof emptyState>, changes: PolicyChanges): void {
  for (const part of ['groups', 'destinations', 'policies', 'pods'] as const) {
    for (const [id, value] of changes[part]) {
      if (value === undefined) assert.ok(state[part].delete(id), `${part} ${id} goes, and was there`);
      else state[part].set(id, value);
    }
  }
}

test('what is told comes to what the definition says, whatever came and went', () => {
  const seen = { passed: 0, held: 0 };
  for (let seed = 1; seed <= 1500; seed++) {
    const random = createSeededRandom(seed);
    const draw: Draw = (choices) => choices[randomBelow(random, choices.length)] as (typeof choices)[number];
    const world: World = { policies: new Map(), pods: new Map(), namespaces: new Map() };
    const table = new PolicyTable('here');
    const state = emptyState();
    for (let round = 0; round < 5; round++) {
      for (let steps = 0; steps < 8; steps++) step(draw, world, table);
      take(state, table.changes());
      assert.equal(table.isDirty, false);
      for (let packets = 0; packets < 8; packets++) {
        const packet = drawPacket(draw, world);
        const wanted = defined(world, packet);
        assert.equal(passesPolicies(state, packet), wanted, `seed ${seed}, round ${round}: ${JSON.stringify(packet)}`);
        seen[wanted ? 'passed' : 'held']++;
      }
    }
    const said = JSON.stringify(
      Object.values(state).map((part) => [...part].toSorted().flat()),
      setsAsLists,
    );
    const whole = JSON.stringify(
      Object.values(table.all()).map((part) => [...part].toSorted().flat()),
      setsAsLists,
    );
    assert.equal(said, whole, `seed ${seed}: all of it is what the changes came to`);
  }
  assert.ok(seen.passed > 10_000 && seen.held > 5_000, JSON.stringify(seen));
});

function setsAsLists(_key: string, value: unknown): unknown {
  return value instanceof Set ? [...(value as Set<string>)].toSorted() : value;
}

const POD = {
  metadata: { name: 'a', namespace: 'x', labels: { app: 'a' } },
  spec: { nodeName: 'here', containers: [] },
  status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
} as unknown as Pod;
const DENY: NetworkPolicy = { metadata: { name: 'p', namespace: 'x' }, spec: { podSelector: {} } };

test('a status that says nothing new is no change', () => {
  const table = new PolicyTable('here');
  table.setPolicy(DENY);
  table.setPod(POD);
  assert.equal(table.changes().pods.size, 1);
  table.setPod({ ...POD, status: { ...POD.status, message: 'all is well' } });
  assert.equal(table.isDirty, false);
});

test('labels that are named like parts of every object', () => {
  const table = new PolicyTable('here');
  const spec = { podSelector: { matchLabels: { constructor: 'x' } }, policyTypes: ['Ingress'] as const };
  table.setPolicy({ metadata: { name: '__proto__', namespace: 'x' }, spec });
  table.setPod(POD);
  assert.equal(table.changes().pods.size, 0);
  table.setPod({ ...POD, metadata: { ...POD.metadata, labels: { constructor: 'x' } } });
  assert.deepEqual(table.changes().pods.get('x/a')?.ingress, ['x/__proto__/ingress']);
});

const STATIC: Pod = { ...POD, metadata: { ...POD.metadata, uid: 'hash' } };
const MIRROR: Pod = {
  ...POD,
  metadata: { ...POD.metadata, uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'hash' } },
};

test('a static pod and its mirror are one', () => {
  const table = new PolicyTable('here');
  table.setPolicy({ ...DENY, spec: { podSelector: { matchLabels: { app: 'b' } } } });
  table.setPod(MIRROR);
  assert.equal(table.setEarly(STATIC, ['10.0.0.1']), true);
  assert.equal(table.changes().pods.size, 0);
  table.setPod({ ...MIRROR, metadata: { ...MIRROR.metadata, labels: { app: 'b' } } });
  assert.deepEqual(table.changes().pods.get('x/a')?.addresses, ['10.0.0.1'], 'its labels are heeded');
  table.removePod(MIRROR);
  assert.deepEqual([...table.changes().pods], [['x/a', undefined]], 'who has the address next is another one');
  assert.equal(table.setEarly(STATIC, ['10.0.0.1']), true, 'it runs on without a mirror');
  table.setPod({ ...MIRROR, status: { phase: 'Running' } });
  table.changes();
  assert.deepEqual(table.all().pods.size, 0, 'its labels are those of before');
  table.setPod({ ...MIRROR, metadata: { ...MIRROR.metadata, labels: { app: 'b' } }, status: { phase: 'Running' } });
  assert.deepEqual(table.changes().pods.get('x/a')?.addresses, ['10.0.0.1'], 'before the mirror tells of an address');
});

test('a static pod whose mirror the API never took holds its address until it ends', () => {
  const table = new PolicyTable('here');
  table.setPolicy(DENY);
  table.setEarly(STATIC, ['10.0.0.1']);
  assert.deepEqual(table.changes().pods.get('x/a')?.addresses, ['10.0.0.1']);
  table.releaseEarly({ ...STATIC, metadata: { ...STATIC.metadata, uid: 'the one before' } });
  assert.equal(table.isDirty, false, 'another pod of that name has ended');
  table.releaseEarly(STATIC);
  assert.deepEqual([...table.changes().pods], [['x/a', undefined]]);
  assert.equal(table.setEarly(STATIC, ['10.0.0.2']), true, 'its file came back');
  assert.deepEqual(table.changes().pods.get('x/a')?.addresses, ['10.0.0.2']);
});

test('the end of a pod that the API tells all of is for the API to tell', () => {
  const table = new PolicyTable('here');
  table.setPolicy(DENY);
  table.setEarly(STATIC, ['10.0.0.1']);
  table.setPod({ ...MIRROR, status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] } });
  table.changes();
  table.releaseEarly(STATIC);
  assert.equal(table.isDirty, false);
});

test('a pod that begins when its end was heard of holds no address', () => {
  const table = new PolicyTable('here');
  table.setPolicy(DENY);
  const gone = { ...POD, metadata: { ...POD.metadata, uid: 'u' } };
  table.setPod({ ...gone, status: {} });
  table.removePod(gone);
  table.changes();
  assert.equal(table.setEarly(gone, ['10.0.0.1']), false);
  assert.equal(table.changes().pods.size, 0);
});

/** A pod whose labels count how often somebody asks for one. */
function countedPod(name: string, count: { asked: number }): Pod {
  const labels = new Proxy<{ [name: string]: string }>(
    { app: name },
    {
      get: (target, key) => {
        count.asked++;
        return Reflect.get(target, key) as unknown;
      },
    },
  );
  return { ...POD, metadata: { name, namespace: 'x', labels } };
}

for (const [sort, peerOf] of [
  ['labels of pods', (at: number) => ({ podSelector: { matchLabels: { app: `a${at}` } } })],
  ['labels of all pods', (at: number) => ({ namespaceSelector: {}, podSelector: { matchLabels: { app: `a${at}` } } })],
  ['namespaces', (at: number) => ({ namespaceSelector: { matchLabels: { app: `a${at}` } } })],
  [
    'labels that there are',
    (at: number) => ({ podSelector: { matchExpressions: [{ key: `k${at}`, operator: 'Exists' as const }] } }),
  ],
] as const) {
  test(`peers by ${sort} are not held against each pod`, () => {
    const count = { asked: 0 };
    const table = new PolicyTable('here');
    const from = Array.from({ length: 900 }, (_, at) => peerOf(at));
    for (let at = 0; at < 50; at++) table.setPod(countedPod(`a${at}`, count));
    table.setNamespace({ metadata: { name: 'x', labels: { app: 'a1' } } } as unknown as Namespace);
    table.setPolicy({ metadata: { name: 'p', namespace: 'x' }, spec: { podSelector: {}, ingress: [{ from }] } });
    assert.equal(table.changes().pods.size, 50);
    for (let at = 50; at < 100; at++) table.setPod(countedPod(`a${at}`, count));
    assert.equal(table.changes().pods.size, 50);
    table.setNamespace({ metadata: { name: 'x', labels: { app: 'a2' } } } as unknown as Namespace);
    assert.ok(count.asked < 100 * 50, `${count.asked} questions for 100 pods`);
  });
}
