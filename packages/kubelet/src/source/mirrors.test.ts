import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { NODES, PODS, isMirrorPod } from '@binnacle/api';
import { createInformer } from '@binnacle/client';
import { status as statusErrors } from '@binnacle/machinery';
import type { Runtime } from '@binnacle/runtime';
import type { Pod } from '@binnacle/api/core/v1';
import { kubeletConfig } from '../config.ts';
import { createTestApi } from '../testing/api.ts';
import { pass, testMachine, testPod } from '../testing/node.ts';
import { isStatic } from '../container/static-pod.ts';
import { Mirrors } from './mirrors.ts';

const ANNOTATION = 'kubernetes.io/config.mirror';
const staticPod = (hash: string): Pod =>
  testPod({
    name: 'etcd',
    metadata: { uid: hash, annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': hash } },
  });

function bench(): {
  clock: VirtualClock;
  api: ReturnType<typeof createTestApi>;
  mirrors: Mirrors;
  hashes(): (string | undefined)[];
} {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  api.fake.seed(NODES, { metadata: { name: 'node-1', uid: 'node-uid' }, spec: {} });
  const mirrors = new Mirrors({
    config: kubeletConfig({ nodeName: 'node-1' }),
    runtime: {} as Runtime,
    sources: [],
    client: api.client,
    machine: testMachine,
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
    scope: new Scope('t'),
  });
  const informer = createInformer(api.client, PODS, api.world);
  informer.subscribe({
    add: (pod) => (isMirrorPod(pod) ? mirrors.seen(pod) : undefined),
    update: (_, pod) => (isMirrorPod(pod) ? mirrors.seen(pod) : undefined),
    remove: (pod) => (isMirrorPod(pod) ? mirrors.gone(pod) : undefined),
  });
  informer.start(api.scope);
  return { clock, api, mirrors, hashes: () => api.fake.objects(PODS).map((p) => p.metadata.annotations?.[ANNOTATION]) };
}

test('a mirror is made once all sources have spoken, and belongs to the node', async () => {
  const b = bench();
  b.mirrors.want(staticPod('1'));
  await pass(b.clock, 50);
  assert.deepEqual(b.hashes(), []);
  b.mirrors.ready();
  await pass(b.clock, 50);
  assert.deepEqual(b.hashes(), ['1']);
  const [mirror] = b.api.fake.objects(PODS);
  assert.deepEqual(mirror?.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'node-uid', controller: true },
  ]);
  assert.equal(b.mirrors.twin(staticPod('1'))?.metadata.uid, mirror?.metadata.uid);
  assert.equal(b.mirrors.twin(staticPod('2')), undefined);
});

test('another content replaces it; no static pod, no mirror', async () => {
  const b = bench();
  b.mirrors.want(staticPod('1'));
  b.mirrors.ready();
  await pass(b.clock, 50);
  b.mirrors.unwant(staticPod('1'));
  b.mirrors.want(staticPod('2'));
  await pass(b.clock, 50);
  assert.deepEqual(b.hashes(), ['2']);
  b.mirrors.unwant(staticPod('2'));
  await pass(b.clock, 50);
  assert.deepEqual(b.hashes(), []);
});

test('a refusal is tried again', async () => {
  const b = bench();
  let refuse = true;
  b.api.fake.faults.call = () =>
    refuse ? { kind: 'refuse', error: statusErrors.serviceUnavailable('no') } : undefined;
  b.mirrors.want(staticPod('1'));
  b.mirrors.ready();
  await pass(b.clock, 50);
  refuse = false;
  await pass(b.clock, 11_000);
  assert.deepEqual(b.hashes(), ['1']);
});

test('a name that another pod has is taken as soon as it is free', async () => {
  const b = bench();
  const { name = '', namespace = '' } = staticPod('1').metadata;
  const pods = b.api.client.resource(PODS, namespace);
  await pods.create({ metadata: { name, namespace }, spec: testPod().spec });
  b.mirrors.want(staticPod('1'));
  b.mirrors.ready();
  await pass(b.clock, 60_000);
  assert.deepEqual(b.hashes(), [undefined]);
  await pods.delete(name, { gracePeriodSeconds: 0 });
  await pass(b.clock, 11_000);
  assert.deepEqual(b.hashes(), ['1']);
});

test('what a static pod is', () => {
  const mirror = testPod({ metadata: { annotations: { 'kubernetes.io/config.source': 'file', [ANNOTATION]: '1' } } });
  assert.deepEqual([isStatic(staticPod('1')), isStatic(mirror), isStatic(testPod())], [true, false, false]);
});
