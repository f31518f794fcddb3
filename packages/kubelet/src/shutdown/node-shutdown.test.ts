import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { kubeletConfig } from '../config.ts';
import type { ShutdownWatch } from '../ports.ts';
import { createApiPodSource } from '../source/api-source.ts';
import { createObjectReader } from '../source/object-reader.ts';
import { createTestApi } from '../testing/api.ts';
import { pass, startTestNode, testPod } from '../testing/node.ts';

type Follow = Parameters<ShutdownWatch['follow']>[0];

async function startNode() {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const { promise: followed, resolve: follow } = Promise.withResolvers<Follow>();
  const node = await startTestNode({
    clock,
    client: api.client,
    objects: createObjectReader(api.client, api.world, api.scope),
    sources: [createApiPodSource(api.client, api.world, api.scope)],
    config: kubeletConfig({ nodeName: 'node-1', shutdownGraceMs: 30_000, shutdownGraceCriticalMs: 10_000 }),
    shutdownWatch: {
      follow: async (of) => {
        follow(of);
        await new Promise<void>((resolve) => of.signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    },
  });
  await pass(clock, 10);
  const podNamed = (name: string): Pod | undefined => api.fake.objects(PODS).find((p) => p.metadata.name === name);
  const stop = async (): Promise<void> => {
    await node.scope.close();
    await api.scope.close();
  };
  return { ...node, api, clock, followed, podNamed, stop };
}

/** A pod that does not hear the signal, and lives until it is killed. */
const stubborn = (name: string, priority: number): Pod =>
  testPod({
    metadata: { name, uid: name, annotations: { 'simulated.binnacle.dev/ignore-stop': 'true' } },
    spec: { priority, terminationGracePeriodSeconds: 120 },
  });

test('pods end by priority, each group in its time; the node takes none, and is ready again when it was called off', async () => {
  const t = await startNode();
  t.api.fake.seed(PODS, stubborn('usual', 0));
  t.api.fake.seed(PODS, stubborn('critical', 2_000_000_000));
  await pass(t.clock, 1000);
  assert.deepEqual([t.podNamed('usual')?.status?.phase, t.podNamed('critical')?.status?.phase], ['Running', 'Running']);

  const { delayMs, tell } = await t.followed;
  assert.equal(delayMs, 30_000, 'the machine is held up for both groups');
  let isOver = false;
  const over = tell(true).then(() => (isOver = true));
  await pass(t.clock, 1000);
  const ready = (): unknown[] => {
    const found = t.api.fake.objects(NODES)[0]?.status?.conditions?.find((c) => c.type === 'Ready');
    return [found?.status, found?.reason, found?.message];
  };
  assert.deepEqual(ready(), ['False', 'KubeletNotReady', 'node is shutting down']);
  t.api.fake.seed(PODS, testPod({ metadata: { name: 'late', uid: 'late' } }));
  await pass(t.clock, 1000);
  const late = t.podNamed('late')?.status;
  assert.deepEqual(
    [late?.phase, late?.reason, late?.message],
    ['Failed', 'NodeShutdown', 'Pod was rejected: Pod was rejected as the node is shutting down.'],
  );

  await pass(t.clock, 16_000);
  assert.equal(t.podNamed('critical')?.status?.phase, 'Running', 'its turn has not come');
  await pass(t.clock, 4000);
  const usual = t.podNamed('usual')?.status;
  assert.deepEqual(
    [usual?.phase, usual?.reason, usual?.message],
    ['Failed', 'Terminated', 'Pod was terminated in response to imminent node shutdown.'],
  );
  const disrupted = usual?.conditions?.find((c) => c.type === 'DisruptionTarget');
  assert.deepEqual([disrupted?.status, disrupted?.reason], ['True', 'TerminationByKubelet']);
  assert.equal(isOver, false);
  await pass(t.clock, 11_000);
  await over;
  assert.equal(t.podNamed('critical')?.status?.reason, 'Terminated');

  await tell(false);
  await pass(t.clock, 1000);
  assert.equal(ready()[0], 'True');
  await t.stop();
});

test('pods that end soon are not waited for any longer', async () => {
  const t = await startNode();
  t.api.fake.seed(PODS, testPod());
  await pass(t.clock, 1000);
  const { tell } = await t.followed;
  let isOver = false;
  const over = tell(true).then(() => (isOver = true));
  await pass(t.clock, 2000);
  assert.equal(isOver, true);
  await over;
  await t.stop();
});
