import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import { createTestApi } from '../testing/api.ts';
import { pass, testPod } from '../testing/node.ts';
import { createApiPodSource, createPodInformer, createSharedPodSource } from './api-source.ts';
import type { PodSource } from '../ports.ts';

const heardBy = (source: PodSource, nodeName: string): string[] => {
  const heard: string[] = [];
  source.follow(nodeName, {
    upsert: (pod) => heard.push(`+${pod.metadata.name ?? ''} ${pod.metadata.uid ?? ''}`),
    remove: (pod) => heard.push(`-${pod.metadata.name ?? ''} ${pod.metadata.uid ?? ''}`),
    ready: () => heard.push('ready'),
  });
  return heard;
};

test('a node is told of its own pods only, and of one that was replaced while nobody watched', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  api.fake.seed(PODS, testPod({ name: 'a', metadata: { uid: '1' } }));
  api.fake.seed(PODS, testPod({ name: 'other', spec: { nodeName: 'node-2' } }));
  const heard = heardBy(createApiPodSource(api.client, api.world, api.scope), 'node-1');
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['+a 1', 'ready']);
  api.fake.faults.watchDelayMs = () => 1e9;
  await api.client.resource(PODS, 'default').delete('a', { gracePeriodSeconds: 0 });
  api.fake.seed(PODS, testPod({ name: 'a', metadata: { uid: '2' } }));
  api.fake.compact();
  api.fake.faults.watchDelayMs = undefined;
  api.fake.cutWatches();
  await pass(clock, 60_000);
  assert.deepEqual(heard, ['-a 1', '+a 2']);
  await api.scope.close();
});

test('one informer serves many nodes, late followers too', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const informer = createPodInformer(api.client, api.world);
  const source = createSharedPodSource(informer);
  const first = heardBy(source, 'node-1');
  informer.start(api.scope);
  api.fake.seed(PODS, testPod({ name: 'a' }));
  await pass(clock, 50);
  assert.deepEqual(first, ['+a uid-a', 'ready']);
  const late = heardBy(source, 'node-2');
  api.fake.seed(PODS, testPod({ name: 'b', spec: { nodeName: 'node-2' } }));
  await pass(clock, 50);
  assert.deepEqual([first.slice(2), late], [[], ['ready', '+b uid-b']]);
  await api.scope.close();
});
