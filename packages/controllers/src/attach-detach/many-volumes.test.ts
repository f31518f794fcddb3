import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, VOLUME_ATTACHMENTS } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const NAME = 'persistentvolume-attach-detach-controller';

function seedVolumeInUse(world: TestWorld, number: number): void {
  const [claim, volume] = [`c${number}`, `v${number}`];
  const { metadata } = world.api.seed(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: claim, namespace: 'ns' },
    spec: { volumeName: volume },
    status: { phase: 'Bound' },
  });
  world.api.seed(PERSISTENT_VOLUMES, {
    metadata: { name: volume },
    spec: {
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: 'ns', name: claim, uid: metadata.uid ?? '' },
      csi: { driver: 'd.example.org', volumeHandle: `h${number}` },
    },
  });
  world.api.seed(PODS, {
    metadata: { name: `p${number}`, namespace: 'ns' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: claim } }],
    },
    status: { phase: 'Running' },
  });
}

/** How often a volume was looked at until so many were attached to one node, one after the other. */
async function syncsToAttach(count: number): Promise<number> {
  const world = createTestWorld();
  world.api.seed(NODES, {
    metadata: { name: 'n', annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  for (let i = 0; i < count; i++) seedVolumeInUse(world, i);
  const process = world.start([NAME]);
  await world.run(1000);
  for (const one of world.api.objects(VOLUME_ATTACHMENTS)) {
    world.api.setStatus(VOLUME_ATTACHMENTS, one, { attached: true });
    await world.run(20);
  }
  await world.run(1000);
  const [node] = world.api.objects(NODES);
  assert.equal(node?.status?.volumesAttached?.length, count);
  const syncs = process.controllers.inspect().find(({ name }) => name === NAME)?.syncs ?? 0;
  await process.kill();
  return syncs;
}

test('what a node tells of one volume has no other one looked at', async () => {
  assert.deepEqual([(await syncsToAttach(10)) / 10, (await syncsToAttach(40)) / 40], [4, 4]);
});
