import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEPLOYMENTS, EVENTS, NODES, PODS, SERVICES } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { ADMIN } from './identities.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import { recordWrites } from './testing/transcript.ts';
import { seededTokenKeys } from './testing/token-keys.ts';

const LABELS = { app: 'web' };
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'example.org/web:1' }] } };

interface Run {
  readonly transcript: readonly string[];
  readonly ready: number;
  readonly left: number;
}

/** A day in the life of a cluster: start, roll out, scale, lose a pod, delete. */
async function run(seed: number): Promise<Run> {
  const clock = new VirtualClock();
  const random = createSeededRandom(seed);
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random, log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(seed), nodes: 3 });
  await clock.advance(0);
  const cluster = await starting;
  const transcript = recordWrites(cluster.store, scope);
  const client = cluster.clientAs(ADMIN);
  await clock.advance(10_000);
  await create(client);
  await clock.advance(20_000);
  const ready = (await client.resource(PODS, 'default').list()).items.filter(
    ({ status }) => status?.phase === 'Running',
  ).length;
  const deployments = client.resource(DEPLOYMENTS, 'default');
  await deployments.patch('web', 'merge', { spec: { replicas: 2 } });
  await clock.advance(40_000);
  await deployments.delete('web');
  await clock.advance(60_000);
  const left = (await client.resource(PODS, 'default').list()).items.length;
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
  assert.equal(clock.pending, 0, 'no timer is left behind');
  return { transcript, ready, left };
}

async function create(client: Client): Promise<void> {
  const spec = { replicas: 5, selector: { matchLabels: LABELS }, template: TEMPLATE };
  await client.resource(DEPLOYMENTS, 'default').create({ metadata: { name: 'web' }, spec } as never);
  const service = { metadata: { name: 'web' }, spec: { selector: LABELS, ports: [{ port: 80 }] } };
  await client.resource(SERVICES, 'default').create(service as never);
}

test('a whole cluster runs under a virtual clock', async () => {
  const { transcript, ready, left } = await run(1);
  assert.deepEqual([ready, left], [5, 0]);
  assert.ok(transcript.length > 100, `${transcript.length} writes`);
});

test('the same seed makes the same writes, one by one; another seed makes others', async () => {
  for (const seed of [7, 8]) {
    const [one, two] = [await run(seed), await run(seed)];
    const difference = one.transcript.findIndex((line, i) => line !== two.transcript[i]);
    assert.equal(difference, -1, `seed ${seed}: ${one.transcript[difference]} <> ${two.transcript[difference]}`);
    assert.equal(one.transcript.length, two.transcript.length);
  }
  assert.notDeepEqual((await run(7)).transcript, (await run(8)).transcript);
});

test('nodes are Ready within a second of the cluster', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random: createSeededRandom(3), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(3), nodes: 2 });
  await clock.advance(1000);
  const cluster = await starting;
  await clock.advance(1000);
  const { items } = await cluster.clientAs(ADMIN).resource(NODES).list();
  const conditions = items.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status);
  assert.deepEqual(conditions, ['True', 'True']);
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
});

test('the Events of a pod tell on which node its kubelet is', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random: createSeededRandom(3), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(3), nodes: 3 });
  await clock.advance(0);
  const client = (await starting).clientAs(ADMIN);
  await clock.advance(5000);
  await create(client);
  await clock.advance(20_000);
  const pods = await client.resource(PODS, 'default').list();
  const nodes = new Map(pods.items.map(({ metadata, spec }) => [metadata.name, spec.nodeName]));
  const { items } = await client.resource(EVENTS, 'default').list();
  const told = items.filter((one) => one.source?.component === 'kubelet' && one.involvedObject.kind === 'Pod');
  assert.ok(told.length >= 15, `${told.length} Events`);
  for (const { source, reportingInstance, involvedObject } of told) {
    const node = nodes.get(involvedObject.name ?? '');
    assert.deepEqual([source?.host, reportingInstance], [node, node]);
  }
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
});
