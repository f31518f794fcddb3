import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES, NETWORK_POLICIES, PODS } from '@binnacle/api';
import type { Namespace, Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy } from '@binnacle/api/networking/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { NetworkError } from '@binnacle/network';
import { passesPolicies } from '@binnacle/network/testing';
import type { PolicyChanges, PolicyNetwork, PolicyState } from '@binnacle/network';
import { runPolicies } from './run-policies.ts';

/** Remembers what it was asked for, and fails when told to. */
class Recorded implements PolicyNetwork {
  readonly asked: string[] = [];
  last: PolicyState | PolicyChanges | undefined;
  failing = 0;
  /** A port that no policy may name. */
  refusedPort = -1;
  /** What holds. */
  readonly state = { groups: new Map(), destinations: new Map(), policies: new Map(), pods: new Map() };

  async replace(state: PolicyState): Promise<void> {
    this.#take('replace', state);
    for (const part of Object.values(this.state)) part.clear();
    this.#put(state);
  }

  async change(changes: PolicyChanges): Promise<void> {
    this.#take('change', changes);
    this.#put(changes);
  }

  async remove(): Promise<void> {
    this.asked.push('remove');
  }

  async begin(addresses: readonly string[]): Promise<void> {
    this.asked.push(`begin ${addresses.join()}`);
  }

  #take(what: string, state: PolicyState | PolicyChanges): void {
    this.asked.push(what);
    this.last = state;
    if (this.failing-- > 0) throw new TypeError('the kernel said no');
    for (const rules of state.policies.values())
      for (const { ports } of rules?.allowances ?? [])
        if (ports?.ranges.some(({ from }) => from === this.refusedPort) === true)
          throw new NetworkError('nft: invalid argument');
  }

  #put(changes: PolicyState | PolicyChanges): void {
    for (const part of ['groups', 'destinations', 'policies', 'pods'] as const)
      for (const [id, value] of changes[part]) {
        if (value === undefined) this.state[part].delete(id);
        else this.state[part].set(id, value);
      }
  }
}

function policy(name: string, more: Partial<NetworkPolicy['spec']> = {}): NetworkPolicy {
  return { metadata: { name, namespace: 'ns' }, spec: { podSelector: {}, policyTypes: ['Ingress'], ...more } };
}

function pod(name: string, ip: string): Pod {
  return {
    metadata: { name, namespace: 'ns' },
    spec: { nodeName: 'here', containers: [{ name: 'c', image: 'x' }] },
    status: { phase: 'Running', podIPs: [{ ip }] },
  } as unknown as Pod;
}

async function start() {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  wire.seed(PODS, pod('a', '10.0.0.1'));
  wire.seed(NAMESPACES, { metadata: { name: 'ns', labels: { team: 'x' } } } as unknown as Namespace);
  const scope = new Scope('policies', { log: silentLogger });
  const network = new Recorded();
  const client = createClient(wire);
  const policies = runPolicies({ client, world, scope, network, nodeName: 'here', minSyncMs: 100 });
  await clock.advance(1500);
  await policies.whenSynced();
  return { client, wire, policies, network, settle: () => clock.advance(3000), stop: () => scope.close() };
}

test('nothing at first, then the first policy with the pods that it bears on, then what changes', async () => {
  const { client, network, settle, stop } = await start();
  assert.deepEqual(network.asked, ['replace']);
  assert.equal(network.last?.pods.size, 0);
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('deny'));
  await settle();
  assert.deepEqual(network.asked, ['replace', 'change']);
  assert.deepEqual(
    [...(network.last?.pods ?? [])],
    [['ns/a', { addresses: ['10.0.0.1'], ingress: ['ns/deny/ingress'] }]],
  );
  const made = await client.resource(PODS, 'ns').create(pod('b', ''));
  await client
    .resource(PODS, 'ns')
    .updateStatus({ ...made, status: { phase: 'Running', podIPs: [{ ip: '10.0.0.2' }] } });
  await settle();
  assert.deepEqual([...(network.last?.pods.keys() ?? [])], ['ns/b']);
  await client.resource(NETWORK_POLICIES, 'ns').delete('deny');
  await settle();
  assert.deepEqual([...(network.last?.pods ?? [])].toSorted(), [
    ['ns/a', undefined],
    ['ns/b', undefined],
  ]);
  await stop();
  assert.ok(!network.asked.includes('remove'), 'pods are held back while nobody looks after it');
});

test('after a failure, and after a stranger’s hand, everything is made again', async () => {
  const { client, network, policies, settle, stop } = await start();
  network.failing = 1;
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('deny'));
  await settle();
  await settle();
  assert.deepEqual(network.asked, ['replace', 'change', 'replace']);
  assert.equal(network.last?.pods.size, 1);
  assert.equal(policies.report.failures, 1);
  policies.resync();
  await settle();
  assert.equal(network.asked.at(-1), 'replace');
  await stop();
});

test('a policy that the machine refuses lets nobody through, others hold, and it is tried again when it changes', async () => {
  const { client, network, policies, settle, stop } = await start();
  const opening = (port: number): NetworkPolicy['spec'] => ({ podSelector: {}, ingress: [{ ports: [{ port }] }] });
  const reaches = (port: number, destination = '10.0.0.1'): boolean =>
    passesPolicies(network.state, { source: '192.0.2.9', destination, protocol: 'tcp', port });
  network.refusedPort = 81;
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('bad', opening(81)));
  await settle();
  assert.deepEqual([reaches(81), reaches(80)], [false, false]);
  const { pendingSince, refused } = policies.report;
  assert.deepEqual({ pendingSince, refused }, { pendingSince: undefined, refused: 1 });
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('good', opening(80)));
  const made = await client.resource(PODS, 'ns').create(pod('b', ''));
  await client.resource(PODS, 'ns').updateStatus({ ...made, status: pod('b', '10.0.0.2').status ?? {} });
  await settle();
  assert.deepEqual([reaches(81), reaches(80)], [false, true]);
  assert.deepEqual([reaches(81, '10.0.0.2'), reaches(80, '10.0.0.2')], [false, true]);
  const bad = await client.resource(NETWORK_POLICIES, 'ns').get('bad');
  await client.resource(NETWORK_POLICIES, 'ns').update({ ...bad, spec: opening(82) });
  await settle();
  assert.deepEqual([reaches(81), reaches(82)], [false, true]);
  assert.equal(policies.report.refused, 0);
  await stop();
});

test('a policy that means nothing lets nobody through, and others hold', async () => {
  const { client, wire, network, settle, stop } = await start();
  const odd = { matchExpressions: [{ key: 'a', operator: 'Sometimes' as 'In' }] };
  // No server takes it; one of a later version may have been here.
  wire.seed(NETWORK_POLICIES, policy('odd', { podSelector: odd, ingress: [{}] }));
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('deny'));
  await settle();
  assert.deepEqual([...network.state.policies.keys()].toSorted(), ['ns/deny/ingress', 'ns/odd/ingress']);
  const passes = passesPolicies(network.state, {
    source: '192.0.2.9',
    destination: '10.0.0.1',
    protocol: 'tcp',
    port: 80,
  });
  assert.equal(passes, false);
  await stop();
});

const addressesOf = (network: Recorded): unknown =>
  [...(network.last?.pods.values() ?? [])].map((one) => one?.addresses);

test('a pod that begins is held back before the API knows its address, and stays so', async () => {
  const { client, policies, network, settle, stop } = await start();
  const { signal } = new AbortController();
  const young = { ...pod('b', ''), metadata: { name: 'b', namespace: 'ns', uid: 'u1' }, status: {} };
  await policies.whenHeld(young, ['10.0.0.2'], signal);
  assert.deepEqual(network.asked, ['replace'], 'without a policy nobody is kept waiting');
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('deny'));
  const made = await client.resource(PODS, 'ns').create(young);
  await settle();
  const held = policies.whenHeld(made, ['10.0.0.2'], signal);
  await settle();
  await held;
  assert.deepEqual(addressesOf(network), [['10.0.0.2']]);
  assert.equal(
    network.asked.at(-1),
    'begin 10.0.0.2',
    'once it is held, what was said to whoever had its address is over',
  );
  const asked = network.asked.length;
  await policies.whenHeld(made, ['10.0.0.2'], signal);
  assert.equal(network.asked.length, asked, 'a container of it that begins anew breaks nothing off');
  // Words of the API that do not know it yet, and then do, change nothing.
  await client.resource(PODS, 'ns').patch('b', 'merge', { metadata: { annotations: { a: 'b' } } });
  await settle();
  await client.resource(PODS, 'ns').patch('b', 'merge', { status: { podIPs: [{ ip: '10.0.0.2' }] } });
  await settle();
  await policies.whenHeld(await client.resource(PODS, 'ns').get('b'), ['10.0.0.2'], signal);
  assert.equal(network.asked.length, asked);
  // Another sandbox, another address, whatever the API says still.
  const again = policies.whenHeld(await client.resource(PODS, 'ns').get('b'), ['10.0.0.3'], signal);
  await settle();
  await again;
  assert.deepEqual(addressesOf(network), [['10.0.0.3']]);
  assert.equal(network.asked.at(-1), 'begin 10.0.0.3');
  await client.resource(PODS, 'ns').delete('b', { gracePeriodSeconds: 0 });
  await settle();
  assert.deepEqual(addressesOf(network), [undefined]);
  await stop();
});

test('a pod that the API never hears of lets go of its address when it ends, and does not get it back', async () => {
  const { client, policies, network, settle, stop } = await start();
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('deny'));
  await settle();
  const lone = { ...pod('b', ''), metadata: { name: 'b', namespace: 'ns', uid: 'file' }, status: {} };
  const held = policies.whenHeld(lone, ['10.0.0.9'], new AbortController().signal);
  await settle();
  await held;
  assert.deepEqual(addressesOf(network), [['10.0.0.9']]);
  policies.released(lone);
  await settle();
  assert.deepEqual(addressesOf(network), [undefined]);
  const end = new AbortController();
  const late = assert.rejects(policies.whenHeld(lone, ['10.0.0.9'], end.signal), /ended/);
  end.abort(new TypeError('it has ended'));
  policies.released(lone);
  await settle();
  await late;
  assert.deepEqual(addressesOf(network), [undefined]);
  await stop();
});

test('a pod of the same name that begins while the old one goes', async () => {
  const { client, policies, network, settle, stop } = await start();
  const { signal } = new AbortController();
  await client.resource(NETWORK_POLICIES, 'ns').create(policy('deny'));
  await client.resource(PODS, 'ns').create({ ...pod('b', '10.0.0.2') });
  await settle();
  const next = { ...pod('b', ''), metadata: { name: 'b', namespace: 'ns', uid: 'next' }, status: {} };
  const held = policies.whenHeld(next, ['10.0.0.9'], signal);
  await settle();
  await held;
  await client.resource(PODS, 'ns').delete('b', { gracePeriodSeconds: 0 });
  await settle();
  assert.deepEqual(addressesOf(network), [['10.0.0.9']]);
  await stop();
});
