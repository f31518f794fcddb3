import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINT_SLICES, EVENTS, NODES, SERVICE_CIDRS, SERVICES } from '@binnacle/api';
import type { Node, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { NetworkError } from '@binnacle/network';
import type { NodeRules, ServiceNetwork, ServiceRules } from '@binnacle/network';
import type { TakenPorts } from './node-port-claims.ts';
import { runProxy } from './run-proxy.ts';
import type { ProxyOptions } from './run-proxy.ts';

/** Remembers what it was asked for, and fails when told to. */
class Recorded implements ServiceNetwork {
  readonly asked: string[] = [];
  services = new Map<string, ServiceRules>();
  node: NodeRules | undefined;
  failing = 0;
  /** Services with this ClusterIP are refused, and all that come with them. */
  refusedIP = '';

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    this.#take('replace');
    this.#judge(services);
    this.node = node;
    this.services = new Map(services);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    this.#take(`change ${[...changes.keys()].join(' ')}`);
    this.#judge(changes);
    for (const [id, rules] of changes) {
      if (rules === undefined) this.services.delete(id);
      else this.services.set(id, rules);
    }
  }

  async remove(): Promise<void> {
    this.asked.push('remove');
  }

  async isThere(): Promise<boolean> {
    return this.node !== undefined;
  }

  #take(what: string): void {
    this.asked.push(what);
    if (this.failing-- > 0) throw new TypeError('the kernel said no');
  }

  #judge(services: ReadonlyMap<string, ServiceRules | undefined>): void {
    for (const rules of services.values())
      if (rules?.clusterIP === this.refusedIP)
        throw new NetworkError(`nft: ${[...services.keys()].join()}: no such thing`);
  }
}

const ID = 'ns/web/http/tcp/IPv4';

function service(name: string, clusterIP: string): Service {
  return {
    metadata: { name, namespace: 'ns' },
    spec: { clusterIPs: [clusterIP], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  } as unknown as Service;
}

function slice(address: string): EndpointSlice {
  return {
    metadata: { name: 'web-1', namespace: 'ns', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address] }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  } as unknown as EndpointSlice;
}

function node(name: string, address: string): Node {
  return { metadata: { name }, status: { addresses: [{ type: 'InternalIP', address }] } } as unknown as Node;
}

async function start(
  insiders?: readonly string[],
  more: Pick<ProxyOptions, 'takenPorts' | 'guestRanges' | 'nodePortAddresses'> = {},
) {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  wire.seed(SERVICES, service('web', '10.96.0.7'));
  wire.seed(NODES, node('here', '192.0.2.1'));
  const scope = new Scope('proxy', { log: silentLogger });
  const network = new Recorded();
  const client = createClient(wire);
  const rules = { podRanges: [], serviceRanges: [], masqueradeAll: false, masqueradeBit: 14 };
  const proxy = runProxy({
    client,
    world,
    scope,
    network,
    nodeName: 'here',
    rules: { ...rules, ...(insiders === undefined ? {} : { insiders }) },
    minSyncMs: 1000,
    ...more,
  });
  await clock.advance(1500);
  await proxy.whenSynced();
  const told = (): (string | undefined)[] => wire.objects(EVENTS).map(({ message }) => message);
  return { client, proxy, network, told, settle: () => clock.advance(3000), stop: () => scope.close() };
}

test('all rules at first, then what changes', async () => {
  const { client, network, settle, stop } = await start();
  assert.deepEqual(network.asked, ['replace']);
  assert.equal(network.services.get(ID)?.internalFate, 'reject');
  await client.resource(ENDPOINT_SLICES, 'ns').create(slice('10.1.0.1'));
  await settle();
  assert.deepEqual(network.asked, ['replace', `change ${ID}`]);
  assert.equal(network.services.get(ID)?.backends.cluster[0]?.address, '10.1.0.1');
  await client.resource(SERVICES, 'ns').delete('web');
  await settle();
  assert.equal(network.services.size, 0);
  await stop();
  assert.ok(!network.asked.includes('remove'), 'what was made stays while the proxy is away');
});

test('after a failure everything is made again', async () => {
  const { client, network, proxy, settle, stop } = await start();
  network.failing = 1;
  await client.resource(SERVICES, 'ns').create(service('two', '10.96.0.8'));
  await settle();
  await settle();
  assert.deepEqual(network.asked, ['replace', 'change ns/two/http/tcp/IPv4', 'replace']);
  assert.equal(network.services.size, 2);
  assert.equal(proxy.report.failures, 1);
  proxy.resync();
  await settle();
  assert.equal(network.asked.at(-1), 'replace');
  await stop();
});

test('a Service that the machine refuses takes nothing from others, is told of, and comes back when it changes', async () => {
  const { client, network, proxy, told, settle, stop } = await start();
  network.refusedIP = '10.96.0.66';
  await client.resource(SERVICES, 'ns').create(service('bad', '10.96.0.66'));
  await client.resource(SERVICES, 'ns').create(service('good', '10.96.0.8'));
  await settle();
  assert.deepEqual([...network.services.keys()].toSorted(), ['ns/good/http/tcp/IPv4', ID]);
  const { pendingSince, refused } = proxy.report;
  assert.deepEqual({ pendingSince, refused }, { pendingSince: undefined, refused: 1 });
  const said = 'node here refuses the rules of port http, which is not reached there; the log of the node says why';
  assert.deepEqual(told(), [said]);
  const asked = network.asked.length;
  await client.resource(SERVICES, 'ns').create(service('more', '10.96.0.9'));
  await settle();
  assert.deepEqual(network.asked.slice(asked), ['change ns/more/http/tcp/IPv4'], 'it costs later ones nothing');
  network.refusedIP = '';
  const bad = await client.resource(SERVICES, 'ns').get('bad');
  await client.resource(SERVICES, 'ns').update({ ...bad, spec: { ...bad.spec, sessionAffinity: 'ClientIP' } });
  await settle();
  assert.equal(network.services.size, 4);
  assert.equal(proxy.report.refused, 0);
  await stop();
});

test('a Service that the machine refuses from the first moment on, and in every state that follows', async () => {
  const { client, network, proxy, settle, stop } = await start();
  network.refusedIP = '10.96.0.7';
  proxy.resync();
  await client.resource(SERVICES, 'ns').create(service('good', '10.96.0.8'));
  await settle();
  assert.deepEqual([...network.services.keys()], ['ns/good/http/tcp/IPv4']);
  await client.resource(SERVICES, 'ns').delete('web');
  await settle();
  assert.equal(proxy.report.refused, 0);
  await stop();
});

test('ranges of Services that come and go are heeded', async () => {
  const { client, network, settle, stop } = await start();
  assert.deepEqual(network.node?.serviceRanges, []);
  const ranges = client.resource(SERVICE_CIDRS);
  await ranges.create({ metadata: { name: 'first' }, spec: { cidrs: ['10.96.0.0/16'] } });
  await ranges.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.97.0.0/24', 'fd97::/112'] } });
  await settle();
  assert.deepEqual(network.node?.serviceRanges, ['10.96.0.0/16', '10.97.0.0/24', 'fd97::/112']);
  const asked = network.asked.length;
  const more = await ranges.get('more');
  await ranges.update({ ...more, metadata: { ...more.metadata, labels: { a: 'b' } } });
  await settle();
  assert.equal(network.asked.length, asked, 'what stays the same is no work');
  await ranges.delete('more');
  await settle();
  assert.deepEqual(network.node?.serviceRanges, ['10.96.0.0/16']);
  await stop();
});

test('nodes that come are let in', async () => {
  const { client, network, settle, stop } = await start(['10.244.0.0/16']);
  assert.deepEqual(network.node?.insiders, ['10.244.0.0/16', '192.0.2.1']);
  await client.resource(NODES).create(node('there', '192.0.2.2'));
  await settle();
  assert.deepEqual(network.node?.insiders, ['10.244.0.0/16', '192.0.2.1', '192.0.2.2']);
  await client.resource(NODES).create(node('odd', '192.0.2.3 }\nflush ruleset\n#'));
  await settle();
  assert.deepEqual(network.node?.insiders, ['10.244.0.0/16', '192.0.2.1', '192.0.2.2'], 'what is no address is none');
  await client.resource(NODES).delete('odd');
  await settle();
  const asked = network.asked.length;
  await client.resource(NODES).update({ ...(await client.resource(NODES).get('there')) });
  await settle();
  assert.equal(network.asked.length, asked, 'the same addresses are no news');
  await client.resource(NODES).delete('there');
  await settle();
  assert.deepEqual(network.node?.insiders, ['10.244.0.0/16', '192.0.2.1']);
  await stop();
});

test('a node port that leads to another cluster on the machine is said, and taken once that one gives it up', async () => {
  let taken: TakenPorts = new Map([['IPv4/tcp/30080', { rules: 'table bnother', isFirst: false }]]);
  let looks = 0;
  const { client, network, proxy, told, settle, stop } = await start(undefined, {
    takenPorts: async () => {
      looks++;
      return taken;
    },
  });
  const open = service('open', '10.96.0.9');
  const ports = [{ name: 'http', port: 80, nodePort: 30080, protocol: 'TCP' }] as const;
  const spec = { ...open.spec, type: 'NodePort', ports } as const;
  await client.resource(SERVICES, 'ns').create({ ...open, spec });
  await settle();
  const nodePort = (): number | undefined => network.services.get('ns/open/http/tcp/IPv4')?.external?.nodePort;
  assert.equal(network.services.has('ns/open/http/tcp/IPv4'), true, 'its ClusterIP answers');
  assert.equal(nodePort(), undefined);
  const said =
    'port tcp/30080 of node here leads to another cluster on the machine (table bnother): this Service is not reached by it';
  assert.deepEqual(told(), [said]);
  await proxy.lookAround();
  await settle();
  assert.deepEqual(told(), [said]);
  taken = new Map();
  await proxy.lookAround();
  await settle();
  assert.equal(nodePort(), 30080);
  looks = 0;
  await client.resource(ENDPOINT_SLICES, 'ns').create(slice('10.1.0.1'));
  await settle();
  assert.equal(looks, 0, 'a change without a new node port asks nobody');
  await stop();
});

test('a load balancer that keeps sources serves the nodes that reach the world through this one, as they come and go', async () => {
  const { client, network, settle, stop } = await start(undefined, { guestRanges: ['10.200.0.0/24'] });
  const open = service('web', '10.96.0.7');
  const spec = {
    ...open.spec,
    type: 'LoadBalancer',
    externalIPs: ['203.0.113.5'],
    externalTrafficPolicy: 'Local',
  } as const;
  const found = await client.resource(SERVICES, 'ns').get('web');
  await client.resource(SERVICES, 'ns').update({ ...found, spec: { ...found.spec, ...spec } });
  const there = { ...slice('10.1.0.1'), endpoints: [{ addresses: ['10.1.0.1'], nodeName: 'guest' }] };
  await client.resource(ENDPOINT_SLICES, 'ns').create(there);
  await settle();
  const fate = (): string | undefined => network.services.get(ID)?.external?.fate;
  assert.equal(fate(), 'drop');
  await client.resource(NODES).create(node('guest', '10.200.0.2'));
  await settle();
  assert.equal(fate(), 'near');
  assert.deepEqual(network.services.get(ID)?.backends.near, [{ address: '10.1.0.1', port: 8080, local: false }]);
  await client.resource(NODES).delete('guest');
  await settle();
  assert.equal(fate(), 'drop');
  await stop();
});

test('node ports of the node’s own addresses follow what its object says', async () => {
  const { client, network, settle, stop } = await start(undefined, { nodePortAddresses: 'primary' });
  assert.deepEqual(network.node?.nodePortAddresses, ['192.0.2.1']);
  const found = await client.resource(NODES).get('here');
  const addresses = ['192.0.2.9', '192.0.2.8', 'fd00::1'].map((address) => ({ type: 'InternalIP', address }));
  await client.resource(NODES).updateStatus({ ...found, status: { ...found.status, addresses } });
  await settle();
  assert.deepEqual(network.node?.nodePortAddresses, ['192.0.2.9', 'fd00::1']);
  await stop();
});

test('node ports of addresses that the machine has now: looked at with the rest', async () => {
  let now = ['192.0.2.1'];
  const { network, proxy, settle, stop } = await start(undefined, { nodePortAddresses: () => now });
  now = ['192.0.2.1', '192.0.2.2'];
  await proxy.lookAround();
  await settle();
  assert.deepEqual(network.node?.nodePortAddresses, now);
  const asked = network.asked.length;
  await proxy.lookAround();
  await settle();
  assert.equal(network.asked.length, asked);
  await stop();
});

test('a node that is about to go gets no new connections of load balancers', async () => {
  const { client, proxy, settle, stop } = await start();
  const nodes = client.resource(NODES);
  assert.equal(proxy.nodeEligible, true);
  const taints = [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' as const }];
  await nodes.patch('here', 'merge', { spec: { taints } });
  await settle();
  assert.equal(proxy.nodeEligible, false);
  await nodes.patch('here', 'merge', { spec: { taints: null }, metadata: { finalizers: ['example.com/stays'] } });
  await settle();
  assert.equal(proxy.nodeEligible, true);
  await nodes.create({ ...node('there', '192.0.2.2'), spec: { taints } });
  await settle();
  assert.equal(proxy.nodeEligible, true, 'another node');
  await nodes.delete('here');
  await settle();
  assert.equal(proxy.nodeEligible, false);
  await stop();
});

test('a Service that asks for more than a node has room for is told of what is left out', async () => {
  const { client, network, told, settle, stop } = await start();
  const ports = Array.from({ length: 102 }, (_, at) => ({ name: `p${at}`, port: at + 1, protocol: 'TCP' as const }));
  const endpoints = Array.from({ length: 1000 }, (_, at) => ({ addresses: [`10.1.${at >> 8}.${at & 255}`] }));
  const wide = service('wide', '10.96.0.9');
  await client.resource(SERVICES, 'ns').create({ ...wide, spec: { ...wide.spec, ports } });
  const labels = { 'kubernetes.io/service-name': 'wide' };
  const metadata = { name: 'wide-1', namespace: 'ns', labels };
  await client.resource(ENDPOINT_SLICES, 'ns').create({ ...slice('10.1.0.1'), metadata, ports, endpoints });
  await settle();
  assert.equal([...network.services.keys()].filter((id) => id.startsWith('ns/wide/')).length, 100);
  assert.deepEqual(told(), [
    'node here has no room for the endpoints and addresses of all ports: the last 2 are not reached there',
  ]);
  await stop();
});
