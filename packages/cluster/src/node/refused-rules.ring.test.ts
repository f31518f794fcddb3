/** Services and policies that a real kernel's tools refuse, which no API server takes: those alone are missing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { ENDPOINT_SLICES, EVENTS, NETWORK_POLICIES, PODS, SERVICES } from '@binnacle/api';
import type { Pod, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { ServiceNetwork } from '@binnacle/network';
import { IptablesNetwork } from '@binnacle/network/iptables';
import { NftablesNetwork, NftablesPolicies, toolRunner } from '@binnacle/network/nftables';
import { runPolicies, runProxy } from '@binnacle/proxy';

const NS = `br${process.pid}`;
const run = toolRunner(['ip', 'netns', 'exec', NS]);

before(() => execFileSync('ip', ['netns', 'add', NS]));
after(() => execFileSync('ip', ['netns', 'del', NS]));

function world() {
  const clock = new VirtualClock();
  const all = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(all), clock);
  const scope = new Scope('refused rules', { log: silentLogger });
  return { clock, wire, scope, client: createClient(wire), world: all };
}

function service(name: string, clusterIP: string, port = 80): Service {
  return {
    metadata: { name, namespace: 'ns' },
    spec: { clusterIPs: [clusterIP], ports: [{ port, protocol: 'TCP' }] },
  } as unknown as Service;
}

function slice(name: string, port: number): EndpointSlice {
  return {
    metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.0.2'] }],
    ports: [{ name: '', port, protocol: 'TCP' }],
  } as unknown as EndpointSlice;
}

const DRIVERS: readonly {
  readonly name: string;
  readonly make: () => ServiceNetwork;
  readonly rules: () => Promise<string>;
}[] = [
  {
    name: 'nftables',
    make: () => new NftablesNetwork({ table: 'bn-refused', families: ['IPv4', 'IPv6'], run, log: silentLogger }),
    rules: () => run(['nft', 'list', 'ruleset']),
  },
  {
    name: 'iptables',
    make: () => new IptablesNetwork({ prefix: 'BNREF', families: ['IPv4', 'IPv6'], run, log: silentLogger }),
    rules: () => run(['iptables-save']),
  },
];

for (const { name, make, rules } of DRIVERS) {
  test(`${name}: Services of numbers that are no ports are left out, whenever they come`, async () => {
    const { wire, client, scope, world: base } = world();
    for (const [name, address] of ['one', 'two', 'three'].entries())
      wire.seed(SERVICES, service(address, `10.96.0.1${name}`));
    for (const each of ['one', 'two', 'three']) wire.seed(ENDPOINT_SLICES, slice(each, 8080));
    wire.seed(SERVICES, service('early', '10.96.0.20', 70_000));
    wire.seed(ENDPOINT_SLICES, slice('early', 8080));
    const network = make();
    const proxy = runProxy({
      client,
      world: base,
      scope,
      network,
      nodeName: 'here',
      rules: { podRanges: [], serviceRanges: ['10.96.0.0/16'], masqueradeAll: false, masqueradeBit: 14 },
      minSyncMs: 0,
    });
    // The tools take their own time: what is waited for is the proxy's word.
    const when = async (isSo: () => boolean): Promise<void> => {
      const deadline = AbortSignal.timeout(60_000);
      while (!isSo()) {
        deadline.throwIfAborted();
        await base.clock.advance(100);
        await new Promise(setImmediate);
      }
    };
    try {
      await when(() => proxy.report.refused === 1);
      const early = await rules();
      for (const address of ['10.96.0.10', '10.96.0.11', '10.96.0.12']) assert.ok(early.includes(address), address);
      assert.ok(!early.includes('10.96.0.20'));
      wire.seed(SERVICES, service('late', '10.96.0.21', 70_001));
      wire.seed(ENDPOINT_SLICES, slice('late', 9999));
      wire.seed(SERVICES, service('fine', '10.96.0.22'));
      wire.seed(ENDPOINT_SLICES, slice('fine', 8080));
      await when(() => proxy.report.refused === 2);
      const later = await rules();
      for (const address of ['10.96.0.10', '10.96.0.11', '10.96.0.12', '10.96.0.22'])
        assert.ok(later.includes(address), address);
      assert.ok(!later.includes('10.96.0.21'));
      await when(() => wire.objects(EVENTS).length === 2);
      await client
        .resource(SERVICES, 'ns')
        .patch('late', 'merge', { spec: { ports: [{ port: 81, protocol: 'TCP' }] } });
      await when(() => proxy.report.refused === 1);
      assert.ok((await rules()).includes('10.96.0.21'));
    } finally {
      await scope.close();
      await network.remove();
    }
  });
}

test('policies by nftables: one with a number that is no port lets nobody through, others let in whom they name', async () => {
  const { wire, client, scope, world: base } = world();
  const pod = (name: string, ip: string): Pod =>
    ({
      metadata: { name, namespace: 'ns', labels: { app: name } },
      spec: { nodeName: 'here', containers: [] },
      status: { phase: 'Running', podIPs: [{ ip }] },
    }) as unknown as Pod;
  wire.seed(PODS, pod('a', '10.244.0.2'));
  wire.seed(PODS, pod('b', '10.244.0.3'));
  const policy = (name: string, app: string, port: number) => ({
    metadata: { name, namespace: 'ns' },
    spec: {
      podSelector: { matchLabels: { app } },
      policyTypes: ['Ingress' as const],
      ingress: [{ ports: [{ port, protocol: 'TCP' as const }] }],
    },
  });
  wire.seed(NETWORK_POLICIES, policy('bad', 'a', 70_000));
  wire.seed(NETWORK_POLICIES, policy('good', 'b', 8080));
  const network = new NftablesPolicies({ table: 'bn-refused', run, log: silentLogger });
  const policies = runPolicies({ client, world: base, scope, network, nodeName: 'here', minSyncMs: 0 });
  try {
    const deadline = AbortSignal.timeout(60_000);
    while (policies.report.syncedAt === undefined) {
      deadline.throwIfAborted();
      await base.clock.advance(100);
      await new Promise(setImmediate);
    }
    const there = await run(['nft', 'list', 'table', 'inet', 'bn-refused']);
    assert.match(there, /10\.244\.0\.2 : goto/, 'the pod of the bad one is held back');
    assert.match(there, /10\.244\.0\.3 : goto/);
    assert.match(there, /tcp dport 8080 accept/);
    assert.doesNotMatch(there, /70000/);
  } finally {
    await scope.close();
    await network.remove();
  }
});
