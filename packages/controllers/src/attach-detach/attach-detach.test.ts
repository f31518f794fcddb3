import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import {
  csiAttachmentName,
  CSI_DRIVERS,
  EVENTS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
} from '@binnacle/api';
import type { PersistentVolumeAccessMode, Taint } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['persistentvolume-attach-detach-controller'];
const DRIVER = 'd.example.org';
const NAME = `kubernetes.io/csi/${DRIVER}^h1`;

interface NodeTraits {
  readonly inUse?: readonly string[];
  readonly ready?: boolean;
  readonly managed?: boolean;
  readonly taints?: readonly Taint[];
}

function seedNode(world: TestWorld, name: string, traits: NodeTraits = {}): void {
  const { inUse = [], ready = true, managed = true, taints = [] } = traits;
  world.api.seed(NODES, {
    metadata: {
      name,
      ...(managed ? { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } } : {}),
    },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }], volumesInUse: inUse },
  });
}

function seedVolume(world: TestWorld, accessModes: readonly PersistentVolumeAccessMode[] = ['ReadWriteOnce']): void {
  const claim = world.api.seed(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns' },
    spec: { volumeName: 'pv' },
    status: { phase: 'Bound' },
  });
  world.api.seed(PERSISTENT_VOLUMES, {
    metadata: { name: 'pv' },
    spec: {
      accessModes,
      claimRef: { namespace: 'ns', name: 'c', uid: claim.metadata.uid ?? '' },
      csi: { driver: DRIVER, volumeHandle: 'h1' },
    },
  });
}

function seedPod(world: TestWorld, name: string, nodeName: string): void {
  world.api.seed(PODS, {
    metadata: { name, namespace: 'ns' },
    spec: {
      nodeName,
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    },
    status: { phase: 'Running' },
  });
}

const where = (world: TestWorld): readonly string[] =>
  world.api.objects(VOLUME_ATTACHMENTS).map(({ spec }) => spec.nodeName);
const reported = (world: TestWorld, node: string): unknown =>
  world.api.objects(NODES).find(({ metadata }) => metadata.name === node)?.status?.volumesAttached;
const told = (world: TestWorld): unknown =>
  world.api
    .objects(EVENTS)
    .map(({ involvedObject, reason, message }) => `${involvedObject.name} ${reason} ${message}`)
    .toSorted();

/** What the driver's attacher does with every attachment that it has not done. */
function attach(world: TestWorld, error?: string): void {
  for (const one of world.api.objects(VOLUME_ATTACHMENTS)) {
    const attachError = { time: `2026-01-01T00:00:${10 + (error?.length ?? 0)}Z`, message: error ?? '' };
    world.api.setStatus(
      VOLUME_ATTACHMENTS,
      one,
      error === undefined ? { attached: true } : { attached: false, attachError },
    );
  }
}

function setInUse(world: TestWorld, name: string, volumesInUse: readonly string[], ready = true): void {
  const node = world.api.objects(NODES).find(({ metadata }) => metadata.name === name);
  assert.ok(node !== undefined);
  const conditions = [{ type: 'Ready', status: ready ? ('True' as const) : ('Unknown' as const) }];
  world.api.setStatus(NODES, node, { ...node.status, conditions, volumesInUse });
}

test('a volume is attached where its pod is, reported to the node, and follows the pod once it is let go', async () => {
  const world = createTestWorld();
  seedNode(world, 'a');
  seedNode(world, 'b');
  seedVolume(world);
  seedPod(world, 'p', 'a');
  const process = world.start(WHICH);
  await world.run(1000);
  const [attachment] = world.api.objects(VOLUME_ATTACHMENTS);
  assert.equal(attachment?.metadata.name, csiAttachmentName({ driver: DRIVER, handle: 'h1' }, 'a'));
  assert.deepEqual(attachment?.spec, { attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'pv' } });
  assert.equal(reported(world, 'a'), undefined, 'only what is attached is reported');
  attach(world, 'no such disk');
  await world.run(1000);
  attach(world);
  setInUse(world, 'a', [NAME]);
  await world.run(1000);
  assert.deepEqual(reported(world, 'a'), [{ name: NAME, devicePath: '' }]);
  await world.client.resource(PODS, 'ns').delete('p', { gracePeriodSeconds: 0 });
  seedPod(world, 'q', 'b');
  await world.run(600_000);
  assert.deepEqual(where(world), ['a'], 'the node still uses it');
  setInUse(world, 'a', []);
  await world.run(1000);
  attach(world);
  await world.run(1000);
  assert.deepEqual(where(world), ['b']);
  assert.equal(reported(world, 'a'), undefined);
  assert.deepEqual(reported(world, 'b'), [{ name: NAME, devicePath: '' }]);
  assert.deepEqual(told(world), [
    'p FailedAttachVolume AttachVolume.Attach failed for volume "pv" : no such disk',
    'p SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "pv" ',
    `q FailedAttachVolume Multi-Attach error for volume "pv" Volume is already exclusively attached to one node and can't be attached to another`,
    'q SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "pv" ',
  ]);
  await process.kill();
});

test('a volume that may be on many nodes goes to all of them', async () => {
  const world = createTestWorld();
  for (const name of ['a', 'b']) seedNode(world, name);
  seedVolume(world, ['ReadOnlyMany']);
  seedPod(world, 'p', 'a');
  seedPod(world, 'q', 'b');
  const process = world.start(WHICH);
  await world.run(1000);
  assert.deepEqual((where(world) as string[]).toSorted(), ['a', 'b']);
  await process.kill();
});

test('an attachment that may not be deleted keeps no other one, and no other node waiting', async () => {
  const world = createTestWorld();
  for (const name of ['a', 'b', 'c']) seedNode(world, name);
  seedVolume(world, ['ReadWriteMany']);
  seedPod(world, 'p', 'a');
  seedPod(world, 'q', 'b');
  const process = world.start(WHICH);
  await world.run(1000);
  attach(world);
  const kept = csiAttachmentName({ driver: DRIVER, handle: 'h1' }, 'a');
  world.network.faults.call = ({ verb, name }) =>
    verb === 'delete' && name === kept ? { kind: 'refuse', error: status.forbidden(NODES, 'a', 'no') } : undefined;
  for (const name of ['p', 'q']) await world.client.resource(PODS, 'ns').delete(name, { gracePeriodSeconds: 0 });
  seedPod(world, 'r', 'c');
  await world.run(5000);
  assert.deepEqual(new Set(where(world)), new Set(['a', 'c']));
  world.network.faults.call = undefined;
  await world.run(60_000);
  assert.deepEqual(where(world), ['c']);
  await process.kill();
});

test('a driver that does not attach, a node that attaches itself and a pod that has ended need nothing', async () => {
  const world = createTestWorld();
  seedNode(world, 'a', { managed: false });
  seedNode(world, 'b');
  seedVolume(world, ['ReadWriteMany']);
  seedPod(world, 'itself', 'a');
  seedPod(world, 'ended', 'b');
  for (const pod of world.api.objects(PODS)) {
    if (pod.metadata.name === 'ended') world.api.setStatus(PODS, pod, { phase: 'Failed' });
  }
  const process = world.start(WHICH);
  await world.run(1000);
  assert.deepEqual(where(world), []);
  seedPod(world, 'runs', 'b');
  await world.run(1000);
  assert.deepEqual(where(world), ['b']);
  world.api.seed(CSI_DRIVERS, { metadata: { name: DRIVER }, spec: { attachRequired: false } });
  await world.run(1000);
  assert.deepEqual(where(world), []);
  await process.kill();
});

for (const [name, after, expected] of [
  ['is not ready for six minutes', (world: TestWorld) => setInUse(world, 'a', [NAME], false), 6],
  ['is deleted', (world: TestWorld) => void world.client.resource(NODES).delete('a'), 6],
  [
    'is out of service',
    (world: TestWorld) =>
      void world.client.resource(NODES).patch('a', 'merge', {
        spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
      }),
    0,
  ],
] as const) {
  test(`what a node uses is taken from it when it ${name}`, async () => {
    const world = createTestWorld();
    seedNode(world, 'a', { inUse: [NAME] });
    seedVolume(world);
    seedPod(world, 'p', 'a');
    const process = world.start(WHICH);
    await world.run(1000);
    attach(world);
    after(world);
    await world.run(1000);
    await world.client.resource(PODS, 'ns').delete('p', { gracePeriodSeconds: 0 });
    await world.run(2000);
    if (expected > 0) {
      assert.deepEqual(where(world), ['a']);
      await world.run(5.5 * 60_000);
      assert.deepEqual(where(world), ['a']);
      await world.run(60_000);
    }
    assert.deepEqual(where(world), []);
    await process.kill();
  });
}

test('attachments of others are left alone; those of volumes that are gone are not', async () => {
  const world = createTestWorld();
  world.api.seed(NODES, {
    metadata: { name: 'a', annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    spec: {},
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      volumesAttached: [
        { name: NAME, devicePath: '' },
        { name: 'kubernetes.io/iscsi/x:y', devicePath: '/dev/x' },
      ],
    },
  });
  for (const name of ['by-hand', csiAttachmentName({ driver: DRIVER, handle: 'h1' }, 'a')]) {
    world.api.seed(VOLUME_ATTACHMENTS, {
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'gone' } },
      status: { attached: true },
    });
  }
  const process = world.start(WHICH);
  await world.run(2000);
  assert.deepEqual(
    world.api.objects(VOLUME_ATTACHMENTS).map(({ metadata }) => metadata.name),
    ['by-hand'],
  );
  assert.deepEqual(reported(world, 'a'), [{ name: 'kubernetes.io/iscsi/x:y', devicePath: '/dev/x' }]);
  await process.kill();
});

test('a driver that says nothing is told of after two minutes', async () => {
  const world = createTestWorld();
  seedNode(world, 'a');
  seedVolume(world);
  seedPod(world, 'p', 'a');
  const process = world.start(WHICH);
  await world.run(125_000);
  await world.run(5000);
  assert.deepEqual(told(world), [
    `p FailedAttachVolume AttachVolume.Attach failed for volume "pv" : timed out waiting for external-attacher of ${DRIVER} CSI driver to attach volume h1`,
  ]);
  await process.kill();
});

test('killed at random with lost replies, while pods move: never on two nodes, never taken while in use', async () => {
  const world = createTestWorld(11);
  let turn = 0;
  world.network.faults.call = (call) =>
    call.cause !== undefined && turn++ % 4 === 0 ? { kind: 'lose-reply' } : undefined;
  for (const name of ['a', 'b', 'c']) seedNode(world, name);
  seedVolume(world);
  let process = world.start(WHICH);
  for (let round = 0; round < 16; round++) {
    const node = ['a', 'b', 'c'][round % 3] ?? 'a';
    seedPod(world, `p${round}`, node);
    await world.run(500 + (round % 5) * 400);
    attach(world);
    await world.run(300);
    const has = world.api.objects(NODES).filter(({ status }) => (status?.volumesAttached ?? []).length > 0);
    assert.ok(has.length <= 1 && world.api.objects(VOLUME_ATTACHMENTS).length <= 1);
    if (has.length === 1) setInUse(world, has[0]?.metadata.name ?? '', [NAME]);
    if (round % 4 === 0) {
      await process.kill();
      process = world.start(WHICH);
    }
    await world.client.resource(PODS, 'ns').delete(`p${round}`, { gracePeriodSeconds: 0 });
    await world.run(2000);
    if (has.length === 1) assert.deepEqual(where(world), [has[0]?.metadata.name], 'in use');
    for (const name of ['a', 'b', 'c']) setInUse(world, name, []);
  }
  world.network.faults.call = undefined;
  await world.run(60_000);
  assert.deepEqual(where(world), []);
  await process.kill();
});
