import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { LEASES, NODES } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { SimulatedNode } from '@binnacle/runtime/simulated';
import { kubeletConfig } from '../config.ts';
import { createTestApi } from '../testing/api.ts';
import type { TestApi } from '../testing/api.ts';
import type { Machine } from '../ports.ts';
import { pass, testMachine } from '../testing/node.ts';
import { NodeAgent } from './node-agent.ts';

interface Bench {
  readonly clock: VirtualClock;
  readonly api: TestApi;
  readonly node: SimulatedNode;
  readonly agent: NodeAgent;
  /** Reasons of Events. */
  readonly said: string[];
  readonly hang: () => void;
}

function bench(machine: Machine = testMachine): Bench {
  const said: string[] = [];
  const clock = new VirtualClock();
  const random = createSeededRandom(1);
  const api = createTestApi(clock);
  const node = createSimulatedNode({ clock, random });
  const runtime = node.connect();
  const agent = new NodeAgent({
    config: kubeletConfig({ nodeName: 'node-1' }),
    runtime,
    sources: [],
    client: api.client,
    pressure: async () => undefined,
    allocatable: { milliCpu: 4000, memoryBytes: 1, ephemeralStorageBytes: 1 },
    machine,
    clock,
    random,
    log: silentLogger,
    scope: new Scope('t'),
    events: { event: (_about, _type, reason) => said.push(reason) },
  });
  const hang = (): void => {
    runtime.status = () => new Promise(() => undefined);
  };
  return { clock, api, node, agent, said, hang };
}

const ready = (api: TestApi): string | undefined =>
  api.fake.objects(NODES)[0]?.status?.conditions?.find((c) => c.type === 'Ready')?.status;
const statusWrites = (api: TestApi): number =>
  api.fake.calls.filter((c) => c.resource.resource === 'nodes' && c.subresource === 'status').length;

test('the status is told on change, and every five minutes', async () => {
  const { clock, api, node, agent } = bench();
  await agent.beat();
  assert.equal(ready(api), 'True');
  const before = statusWrites(api);
  await clock.advance(10_000);
  await agent.beat();
  assert.equal(statusWrites(api), before);
  node.setCondition('network', { ready: false, reason: 'X', message: 'y' });
  await clock.advance(10_000);
  await agent.beat();
  assert.equal(ready(api), 'False');
  assert.equal(agent.ready, false);
  node.setCondition('network', { ready: true, reason: '', message: '' });
  await agent.beat();
  const after = statusWrites(api);
  await clock.advance(300_000);
  await agent.beat();
  assert.equal(statusWrites(api), after + 1);
});

test('a node that is there keeps what it has and gets our labels and annotations', async () => {
  const { api, agent } = bench();
  const metadata = { name: 'node-1', labels: { mine: 'x' }, annotations: { mine: 'y' } };
  api.fake.seed(NODES, { metadata, spec: { unschedulable: true } });
  await agent.beat();
  const [node] = api.fake.objects(NODES);
  assert.deepEqual(node?.metadata.annotations, {
    mine: 'y',
    'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
  });
  assert.deepEqual(
    [node?.metadata.labels?.['mine'], node?.metadata.labels?.['kubernetes.io/os'], node?.spec?.unschedulable],
    ['x', 'linux', true],
  );
  assert.equal(ready(api), 'True');
});

test('begin goes on until the API is there and the runtime is ready', async () => {
  const { clock, api, node, agent } = bench();
  node.setCondition('network', { ready: false, reason: 'X', message: 'y' });
  let down = true;
  api.fake.faults.call = () => (down ? { kind: 'refuse', error: statusErrors.serviceUnavailable('no') } : undefined);
  const done = agent.begin(new AbortController().signal);
  await pass(clock, 1_000);
  assert.equal(api.fake.objects(NODES).length, 0);
  down = false;
  await pass(clock, 5_000);
  assert.equal(ready(api), 'False');
  node.setCondition('network', { ready: true, reason: '', message: '' });
  await pass(clock, 5_000);
  await done;
  assert.equal(ready(api), 'True');
});

test('a word of others about the node is put right at the next beat', async () => {
  const { clock, api, agent } = bench();
  await agent.beat();
  const unknown = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' };
  const nodes = api.client.resource(NODES);
  const status = { conditions: [unknown] };
  await nodes.patch('node-1', 'strategic', { status }, { subresource: 'status' });
  assert.equal(ready(api), 'Unknown');
  await clock.advance(10_000);
  await agent.beat();
  assert.equal(ready(api), 'True');
});

test('the Lease is renewed while the runtime hangs, and nothing piles up behind it', async () => {
  const { clock, api, hang, agent } = bench();
  await agent.beat();
  const renewed = (): unknown => api.fake.objects(LEASES)[0]?.spec?.renewTime;
  const first = renewed();
  hang();
  for (let i = 0; i < 3; i++) {
    await clock.advance(10_000);
    void agent.beat();
    await pass(clock, 1);
  }
  assert.notEqual(renewed(), first);
});

test('the Lease belongs to the node, and is made again when it is gone', async () => {
  const { clock, api, agent } = bench();
  await agent.beat();
  const [lease] = api.fake.objects(LEASES);
  assert.equal(lease?.metadata.ownerReferences?.[0]?.uid, api.fake.objects(NODES)[0]?.metadata.uid);
  await api.client.resource(LEASES, 'kube-node-lease').delete('node-1');
  await agent.beat();
  await clock.advance(10_000);
  await agent.beat();
  await clock.advance(10_000);
  await agent.beat();
  assert.equal(api.fake.objects(LEASES).length, 1);
});

test('Events tell what the node comes to be: once each, and nothing while it stays as it is', async () => {
  const { clock, api, node, agent, said } = bench();
  await agent.beat();
  const first = ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID', 'NodeReady'];
  assert.deepEqual(said.splice(0), ['Starting', ...first]);
  await clock.advance(10_000);
  await agent.beat();
  assert.deepEqual(said.splice(0), []);
  await api.client.resource(NODES).patch('node-1', 'strategic', { spec: { unschedulable: true } });
  node.setCondition('network', { ready: false, reason: 'X', message: 'y' });
  await clock.advance(10_000);
  await agent.beat();
  assert.deepEqual(said.splice(0), ['NodeNotSchedulable', 'NodeNotReady']);
});

test('a node whose API remembers another boot says that it was rebooted', async () => {
  const { api, agent, said } = bench();
  const nodeInfo = { bootID: 'another' };
  api.fake.seed(NODES, { metadata: { name: 'node-1' }, spec: {}, status: { nodeInfo } as never });
  await agent.beat();
  assert.deepEqual(said.slice(0, 2), ['Rebooted', 'Starting']);
});

test('a node of two families tells both of its addresses, each time', async () => {
  const addresses = [
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'InternalIP', address: 'fd00::1' },
    { type: 'Hostname', address: 'node-1' },
  ];
  const { clock, api, agent } = bench({ ...testMachine, addresses });
  const told = (): unknown => api.fake.objects(NODES)[0]?.status?.addresses;
  for (const what of ['at the registration', 'later', 'after five minutes']) {
    await agent.beat();
    await pass(clock, 300_000);
    assert.deepEqual(told(), addresses, what);
  }
  assert.ok(statusWrites(api) > 0);
});
