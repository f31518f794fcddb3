import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  isNodeReady,
  JOBS,
  NODES,
  PODS,
  REPLICATION_CONTROLLERS,
  SERVICES,
} from '@binnacle/api';
import { createSeededRandom, randomBelow, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { readText } from '@binnacle/machinery';
import type { TraceHop, TraceHopList } from '@binnacle/trace';
import { ADMIN } from './identities.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import { seededTokenKeys } from './testing/token-keys.ts';

const ROOT = '/apis/trace.binnacle.dev/v1';

interface Life {
  readonly clock: VirtualClock;
  readonly client: Client;
  hops(path: string): Promise<TraceHopList>;
  all(): Promise<TraceHop[]>;
  end(): Promise<void>;
}

async function start(seed: number, more: { readonly pauses?: boolean } = {}): Promise<Life> {
  const clock = new VirtualClock();
  const scope = new Scope('cluster');
  const world = { clock, random: createSeededRandom(seed), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(seed), nodes: 2, ...more });
  await clock.advance(0);
  const client = (await starting).clientAs(ADMIN);
  await clock.advance(5_000);
  const hops: Life['hops'] = async (path) => JSON.parse(await readText(client.wire, `${ROOT}${path}`)) as TraceHopList;
  return {
    clock,
    client,
    hops,
    async all() {
      const found: TraceHop[] = [];
      for (let token = ''; ;) {
        const page = await hops(`/hops?limit=5000${token === '' ? '' : `&continue=${token}`}`);
        found.push(...page.items);
        token = page.metadata.continue ?? '';
        if (token === '') return found;
      }
    },
    async end() {
      const closing = scope.close();
      await clock.advance(60_000);
      await closing;
    },
  };
}

const container = { name: 'c', image: 'example.org/web:1' };

/** One thing that a user might do. */
async function doSomething(client: Client, random: Random, at: number): Promise<void> {
  const labels = { app: `w${at}` };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const name = `w${at}`;
  const replicas = randomBelow(random, 4);
  switch (randomBelow(random, 8)) {
    case 0:
      return void (await client
        .resource(PODS, 'default')
        .create({ metadata: { name }, spec: { containers: [container] } }));
    case 1:
      return void (await client
        .resource(REPLICATION_CONTROLLERS, 'default')
        .create({ metadata: { name }, spec: { replicas, selector: labels, template } } as never));
    case 2:
    case 3:
      return void (await client
        .resource(DEPLOYMENTS, 'default')
        .create({ metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } } as never));
    case 4:
      return void (await client.resource(JOBS, 'default').create({
        metadata: { name },
        spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
      } as never));
    case 5:
      return void (await client
        .resource(SERVICES, 'default')
        .create({ metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } } as never));
    case 6: {
      const { items } = await client.resource(PODS, 'default').list();
      const pod = items[randomBelow(random, Math.max(1, items.length))];
      if (pod !== undefined) await client.resource(PODS, 'default').delete(pod.metadata.name ?? '');
      return undefined;
    }
    default:
      return void (await client.resource(CONFIG_MAPS, 'default').create({ metadata: { name }, data: { a: '1' } }));
  }
}

/** Where the chain of causes of a hop ends, and over whom. */
function endOf(
  byName: ReadonlyMap<string, TraceHop>,
  first: TraceHop,
): { readonly type: string; readonly last: TraceHop } {
  let hop = first;
  for (let steps = 0; steps < 10_000; steps++) {
    if (hop.cause.type !== 'hop') return { type: hop.cause.type, last: hop };
    const next = byName.get(hop.cause.hop);
    assert.ok(next !== undefined, `${hop.metadata.name} ${hop.title}: its cause ${hop.cause.hop} is nowhere`);
    hop = next;
  }
  assert.fail(`the causes of ${first.title} go round`);
}

const OWN = /^(kubernetes-admin|system:apiserver)$/;

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`every write leads back to the request of a client or to a timer (seed ${seed})`, async () => {
    const life = await start(seed);
    const random = createSeededRandom(seed * 1000);
    for (let at = 0; at < 12; at++) {
      await doSomething(life.client, random, at);
      await life.clock.advance(randomBelow(random, 4_000));
    }
    await life.clock.advance(60_000);
    const hops = await life.all();
    const byName = new Map(hops.map((hop) => [hop.metadata.name, hop]));
    const commits = hops.filter(({ type }) => type === 'commit');
    assert.ok(commits.length > 100, `${commits.length} commits`);
    const wrong = commits.flatMap((commit) => {
      const { type, last } = endOf(byName, commit);
      // A component that gives no cause would pass for a client: it must be somebody who may ask by himself.
      const isRight = type === 'timer' || (type === 'client' && OWN.test(last.user ?? ''));
      return isRight
        ? []
        : [
            `${commit.title} ${commit.object?.resource}/${commit.object?.name}: ${type} at ${last.title} by ${last.user ?? last.component}`,
          ];
    });
    assert.deepEqual(wrong, []);
    // Most of what happened came of what the user did, not of time alone.
    const ofClients = commits.filter((commit) => endOf(byName, commit).type === 'client');
    assert.ok(ofClients.length > 60, `${ofClients.length} of ${commits.length} come of a client`);
    await life.end();
  });
}

test("the story of a controller's pod has all its steps, in the order of time", async () => {
  const life = await start(9);
  const labels = { app: 'frontend' };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  await life.client
    .resource(REPLICATION_CONTROLLERS, 'default')
    .create({ metadata: { name: 'frontend' }, spec: { replicas: 1, selector: labels, template } } as never);
  await life.clock.advance(5_000);
  const { items: pods } = await life.client.resource(PODS, 'default').list();
  const pod = pods[0]?.metadata.name ?? '';
  const { items } = await life.hops(`/namespaces/default/hops?about=pods/${pod}&limit=5000`);
  const told = items.map(({ type, title }) => `${type} ${title.replaceAll(pod, 'POD')}`);
  const steps = [
    /^request POST \/api\/v1\/namespaces\/default\/replicationcontrollers/,
    /^authorization allowed create replicationcontrollers/,
    /^commit create at revision/,
    /^delivery ADDED replicationcontrollers default\/frontend/,
    /^reconcile sync default\/frontend/,
    /^request POST \/api\/v1\/namespaces\/default\/pods/,
    /^commit create at revision/,
    /^delivery ADDED pods default\/POD/,
    /^decision schedule default\/POD: bound to node-/,
    /^request POST \/api\/v1\/namespaces\/default\/pods\/POD\/binding/,
    /^authorization allowed create pods\/binding$/,
    /^commit update at revision/,
    /^delivery MODIFIED pods default\/POD/,
    /^kubelet pod worker waiting → syncing/,
    /^runtime run sandbox/,
    /^runtime create container/,
    /^runtime start container/,
    /^request PATCH \/api\/v1\/namespaces\/default\/pods\/POD\/status/,
    /^commit update at revision/,
  ];
  let at = 0;
  for (const step of steps) {
    const found = told.findIndex((line, i) => i >= at && step.test(line));
    assert.notEqual(found, -1, `no ${step} after ${at} in\n${told.join('\n')}`);
    at = found + 1;
  }
  const { items: explained } = (await life.hops('/namespaces/default/explanations')) as unknown as {
    items: { metadata: { name: string }; scored: object[]; isComplete: boolean }[];
  };
  assert.deepEqual(
    explained.map(({ metadata, scored, isComplete }) => [metadata.name, scored.length, isComplete]),
    [[pod, 2, true]],
  );
  await life.end();
});

test('a held scheduler leaves pods pending, lets one through at a step, and its cluster lives on', async () => {
  const life = await start(11, { pauses: true });
  const { client, clock } = life;
  const pods = client.resource(PODS, 'default');
  const bound = async (): Promise<number> =>
    (await pods.list()).items.filter(({ spec }) => spec.nodeName !== undefined).length;
  const pauses = client.dynamic({ group: 'trace.binnacle.dev', version: 'v1', resource: 'pauses' });
  const hold = (name: string, spec: object): Promise<unknown> => pauses.update({ metadata: { name }, spec } as never);
  await hold('kube-scheduler', { deadlineSeconds: 600 });
  for (const name of ['a', 'b', 'c']) await pods.create({ metadata: { name }, spec: { containers: [container] } });
  await clock.advance(60_000);
  assert.equal(await bound(), 0);
  const shown = (await pauses.get('kube-scheduler')) as unknown as { status: { waiting: { what: string }[] } };
  assert.deepEqual(
    shown.status.waiting.map(({ what }) => what),
    ['schedule default/a'],
  );
  await hold('kube-scheduler', { steps: 1, deadlineSeconds: 600 });
  await clock.advance(5_000);
  assert.equal(await bound(), 1);
  await hold('kubelet.node-0', { deadlineSeconds: 600 });
  await hold('kubelet.node-1', { deadlineSeconds: 600 });
  await pauses.delete('kube-scheduler');
  await clock.advance(5_000);
  assert.equal(await bound(), 3);
  const running = async (): Promise<number> =>
    (await pods.list()).items.filter(({ status }) => status?.phase === 'Running').length;
  assert.equal(await running(), 1, 'held kubelets start nothing');
  await clock.advance(120_000);
  const { items: nodes } = await client.resource(NODES).list();
  assert.ok(nodes.length > 0 && nodes.every(isNodeReady), 'Leases go on');
  await clock.advance(600_000);
  assert.equal(await running(), 3, 'a pause has an end');
  await life.end();
});
