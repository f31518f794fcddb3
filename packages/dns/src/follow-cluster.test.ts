import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, ENDPOINT_SLICES, EVENTS, NAMESPACES, SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient, createEventRecorder } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { ClusterZone } from './cluster-zone.ts';
import { followCluster } from './follow-cluster.ts';
import type { ForwardingConfig } from './forwarder.ts';
import { TYPE } from './records.ts';

const WEB: Service = {
  metadata: { name: 'web', namespace: 'ns' },
  spec: { clusterIPs: ['10.0.0.1'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
} as unknown as Service;

function slice(service: string, ready: boolean): EndpointSlice {
  return {
    metadata: { name: 'web-1', namespace: 'ns', labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'], hostname: 'one', conditions: { ready } }],
    ports: [],
  } as unknown as EndpointSlice;
}

async function start() {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  wire.seed(SERVICES, WEB);
  const scope = new Scope('dns', { log: silentLogger });
  const zone = new ClusterZone({ domain: 'cluster.local', ttl: 5, serial: 1, addresses: [] });
  const configs: ForwardingConfig[] = [];
  const machine: ForwardingConfig = { upstreams: [{ host: '192.0.2.1', port: 53 }], stubs: new Map() };
  const client = createClient(wire);
  const events = createEventRecorder({ client, world, scope, component: 'dns' });
  const configure = (config: ForwardingConfig): void => void configs.push(config);
  let known = machine;
  const ready = followCluster({ client, world, scope, zone, machine: () => known, configure, events });
  await clock.advance(1000);
  const again = await ready;
  const machineSays = (config: ForwardingConfig): void => {
    known = config;
    again();
  };
  const count = (name: string): number => zone.find(`${name}.ns.svc.cluster.local`, TYPE.A)?.answers.length ?? 0;
  const told = (): (string | undefined)[] => wire.objects(EVENTS).map(({ message }) => message);
  const settle = (): Promise<void> => clock.advance(1000);
  return { client, told, zone, configs, count, machine, machineSays, settle, stop: () => scope.close() };
}

test('Services and slices come, change and go', async () => {
  const { client, count, settle, stop } = await start();
  assert.equal(count('web'), 1);
  const slices = client.resource(ENDPOINT_SLICES, 'ns');
  await slices.create(slice('web', true));
  await settle();
  assert.equal(count('one.web'), 1);
  await slices.update({ ...(await slices.get('web-1')), ...{ endpoints: slice('web', false).endpoints } });
  await settle();
  assert.equal(count('one.web'), 0, 'what is not ready is not told about');
  await slices.update({ ...(await slices.get('web-1')), endpoints: slice('web', true).endpoints });
  await slices.delete('web-1');
  await client.resource(SERVICES, 'ns').delete('web');
  await settle();
  assert.deepEqual([count('web'), count('one.web')], [0, 0]);
  await stop();
});

test('names of pods are those of namespaces that are there, without Services too', async () => {
  const { client, zone, settle, stop } = await start();
  const answers = (): number | undefined => zone.find('10-1-2-3.bare.pod.cluster.local', TYPE.A)?.answers.length;
  assert.equal(answers(), 0);
  const before = zone.changes;
  await client.resource(NAMESPACES).create({ metadata: { name: 'bare' }, spec: {} });
  await settle();
  assert.equal(answers(), 1);
  assert.ok(zone.changes > before, 'what was answered before is not kept');
  const namespaces = client.resource(NAMESPACES);
  await namespaces.delete('bare');
  await settle();
  assert.equal(answers(), 1, 'what is in it is there still');
  await namespaces.subresource('update', 'bare', 'finalize', { ...(await namespaces.get('bare')), spec: {} });
  await settle();
  assert.equal(answers(), 0);
  await stop();
});

test('the ConfigMap configures; a bad one leaves what was, its removal the machine', async () => {
  const { client, told, configs, machine, settle, stop } = await start();
  const maps = client.resource(CONFIG_MAPS, 'kube-system');
  await maps.create({ metadata: { name: 'kube-dns' }, data: { upstreamNameservers: '["10.0.0.53"]' } });
  await settle();
  assert.deepEqual(configs.at(-1)?.upstreams, [{ host: '10.0.0.53', port: 53 }]);
  await maps.update({ ...(await maps.get('kube-dns')), data: { upstreamNameservers: 'x' } });
  await settle();
  const odd = { upstreamNameservers: '["10.0.0.54"]', federations: '{}' };
  await maps.update({ ...(await maps.get('kube-dns')), data: odd });
  await settle();
  assert.equal(configs.length, 1);
  assert.deepEqual(told(), [
    'upstreamNameservers is not JSON; the configuration that held before goes on',
    'unknown keys: federations; the configuration that held before goes on',
  ]);
  await maps.delete('kube-dns');
  await settle();
  assert.deepEqual(configs.at(-1), machine);
  await stop();
});

test('what the machine says anew holds where the ConfigMap says nothing', async () => {
  const { client, configs, machineSays, settle, stop } = await start();
  const other: ForwardingConfig = { upstreams: [{ host: '192.0.2.2', port: 53 }], stubs: new Map() };
  machineSays(other);
  assert.deepEqual(configs, [other]);
  const maps = client.resource(CONFIG_MAPS, 'kube-system');
  await maps.create({ metadata: { name: 'kube-dns' }, data: { stubDomains: '{"corp": ["10.0.0.53"]}' } });
  await settle();
  machineSays({ upstreams: [{ host: '192.0.2.3', port: 53 }], stubs: new Map() });
  assert.deepEqual(configs.at(-1)?.upstreams, [{ host: '192.0.2.3', port: 53 }]);
  assert.equal(configs.at(-1)?.stubs.size, 1);
  await maps.delete('kube-dns');
  await settle();
  assert.deepEqual(configs.at(-1)?.upstreams, [{ host: '192.0.2.3', port: 53 }]);
  await stop();
});
