import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { DEPLOYMENTS, REPLICA_SETS } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});
const deployments = (world: TestWorld) => world.client.resource(DEPLOYMENTS, 'default');
const rollTo = (world: TestWorld, image: string) =>
  deployments(world).patch('web', 'merge', { spec: { template: template(image) } });
const asked = (world: TestWorld): number =>
  world.api.objects(REPLICA_SETS).reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);

async function deploy(world: TestWorld): Promise<void> {
  await deployments(world).create({
    metadata: { name: 'web' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: template('one'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    },
  });
  await world.run(10_000);
}

test('while the caches are late nothing is planned from what they show: no write is refused', async () => {
  const refused: string[] = [];
  const between = (wire: Wire): Wire => ({
    ...wire,
    call: async (call) => {
      try {
        return await wire.call(call);
      } catch (error) {
        if (status.isConflict(error)) refused.push(`${call.verb} ${call.resource.resource} ${call.subresource ?? ''}`);
        throw error;
      }
    },
  });
  const world = createTestWorld(4, { between });
  startFakeNode(world);
  world.network.faults.watchDelayMs = () => 300;
  const process = world.start(['deployment-controller']);
  const pods = world.start(['replicaset-controller']);
  await deploy(world);
  await rollTo(world, 'two');
  await world.run(60_000);
  await process.kill();
  await pods.kill();
  assert.equal(asked(world), 4);
  assert.deepEqual(
    refused.filter((write) => !write.endsWith('replicasets status')),
    [],
  );
});

test('a size whose answer was lost is asked for before another template gets its set', async () => {
  let lateMs = 0;
  const between = (wire: Wire): Wire => ({
    ...wire,
    watch: (call, sink) => {
      if (call.resource.resource !== 'replicasets') return wire.watch(call, sink);
      const events: typeof sink.events = (batch) => {
        if (lateMs === 0) sink.events(batch);
        else world.clock.after(lateMs, () => sink.events(batch));
      };
      return wire.watch(call, { ...sink, events });
    },
  });
  const world = createTestWorld(4, { between });
  const process = world.start(['deployment-controller']);
  await deploy(world);
  // None of its pods is ever ready: it stays at the surge of one.
  await rollTo(world, 'two');
  await world.run(5000);
  // The set takes its new size, and the controller hears neither the answer nor, for a while, the event.
  lateMs = 5000;
  world.network.faults.call = ({ verb, resource }) =>
    verb === 'update' && resource.resource === 'replicasets' ? { kind: 'lose-reply' } : undefined;
  await deployments(world).patch('web', 'merge', { spec: { strategy: { rollingUpdate: { maxSurge: 3 } } } });
  await world.run(0);
  assert.equal(asked(world), 7);
  world.network.faults.call = undefined;
  await rollTo(world, 'three');
  let most = 0;
  for (let i = 0; i < 60; i++) {
    await world.run(500);
    most = Math.max(most, asked(world));
  }
  await process.kill();
  assert.equal(most, 7);
});
