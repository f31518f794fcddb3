import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '@binnacle/api';
import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import { startLocalPath } from './local-path.ts';
import { ASKED_OF, PROVISIONER, SELECTED_NODE } from './names.ts';
import type { Directories } from './provisioner.ts';

/** A disk of directories; `blocked` fails what is done at a path. */
class Disk implements Directories {
  readonly modes = new Map<string, number>();
  readonly content = new Map<string, readonly string[]>();
  blocked: string | undefined;

  async makeDirectory(path: string, mode: number): Promise<void> {
    this.#check(path);
    if (!this.modes.has(path)) this.modes.set(path, mode);
  }

  async remove(path: string): Promise<void> {
    this.#check(path);
    this.modes.delete(path);
  }

  async list(path: string): Promise<readonly string[]> {
    if (path !== '/volumes') return this.content.get(path) ?? [];
    return [...this.modes.keys()].map((one) => one.slice('/volumes/'.length));
  }

  #check(path: string): void {
    if (path === this.blocked) throw new Error('input/output error');
  }
}

interface World {
  readonly clock: VirtualClock;
  readonly wire: NetworkedServer<MemoryApi>;
  readonly client: Client;
  readonly disk: Disk;
  readonly close: () => Promise<void>;
}

async function start(disk = new Disk()): Promise<World> {
  const clock = new VirtualClock();
  const random = createSeededRandom(1);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const client = createClient(wire);
  const scope = new Scope('test');
  await client.resource(STORAGE_CLASSES).create({
    metadata: { name: 'local-path' },
    provisioner: PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
    reclaimPolicy: 'Delete',
  });
  await client
    .resource(NODES)
    .create({ metadata: { name: 'mine', labels: { 'kubernetes.io/hostname': 'my-host' } }, spec: {} });
  startLocalPath({
    client,
    world: { clock, random, log: silentLogger },
    scope,
    root: '/volumes',
    isOurNode: (name) => name === 'mine',
    directories: disk,
  });
  await clock.advance(1000);
  return { clock, wire, client, disk, close: () => scope.close() };
}

const claimOn = (node: string): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'ns', annotations: { [ASKED_OF]: PROVISIONER, [SELECTED_NODE]: node } },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'local-path',
    resources: { requests: { storage: '1Gi' } },
  },
});
const reasons = ({ wire }: World): unknown[] => wire.objects(EVENTS).map(({ reason }) => reason);

test('a claim gets a directory of its node, and a volume there that is kept for it', async () => {
  const world = await start();
  const claim = world.wire.seed(PERSISTENT_VOLUME_CLAIMS, claimOn('mine'));
  await world.clock.advance(1000);
  const [volume] = world.wire.objects(PERSISTENT_VOLUMES);
  const name = `pvc-${claim.metadata.uid}`;
  assert.equal(volume?.metadata.name, name);
  assert.deepEqual([...world.disk.modes], [[`/volumes/${name}`, 0o777]]);
  assert.equal(volume.spec.local?.path, `/volumes/${name}`);
  assert.equal(volume.spec.claimRef?.uid, claim.metadata.uid);
  assert.deepEqual(volume.spec.capacity, { storage: '1Gi' });
  const [term] = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  assert.deepEqual(term?.matchExpressions?.[0]?.values, ['my-host']);
  assert.deepEqual(reasons(world).toSorted(), ['Provisioning', 'ProvisioningSucceeded']);
  await world.close();
});

test('a volume that is let go loses its directory, then goes; a disk that fails is tried again', async () => {
  const world = await start();
  world.wire.seed(PERSISTENT_VOLUME_CLAIMS, claimOn('mine'));
  await world.clock.advance(1000);
  const [volume] = world.wire.objects(PERSISTENT_VOLUMES);
  assert.ok(volume);
  world.disk.blocked = volume.spec.local?.path;
  world.wire.setStatus(PERSISTENT_VOLUMES, volume, { phase: 'Released' });
  await world.clock.advance(1000);
  assert.equal(world.wire.objects(PERSISTENT_VOLUMES).length, 1);
  assert.ok(reasons(world).includes('VolumeFailedDelete'));
  world.disk.blocked = undefined;
  await world.clock.advance(60_000);
  assert.deepEqual([world.wire.objects(PERSISTENT_VOLUMES).length, world.disk.modes.size], [0, 0]);
  await world.close();
});

test('a volume whose object is deleted first goes after its directory all the same', async () => {
  const world = await start();
  world.wire.seed(PERSISTENT_VOLUME_CLAIMS, claimOn('mine'));
  await world.clock.advance(1000);
  await world.client
    .resource(PERSISTENT_VOLUMES)
    .delete(world.wire.objects(PERSISTENT_VOLUMES)[0]?.metadata.name ?? '');
  await world.clock.advance(1000);
  assert.deepEqual([world.wire.objects(PERSISTENT_VOLUMES).length, world.disk.modes.size], [0, 0]);
  await world.close();
});

test('a claim whose node is gone is given back to the scheduler', async () => {
  const world = await start();
  await world.client.resource(NODES).create({ metadata: { name: 'other' }, spec: {} });
  world.wire.seed(PERSISTENT_VOLUME_CLAIMS, claimOn('other'));
  await world.clock.advance(1000);
  const node = (): unknown => world.wire.objects(PERSISTENT_VOLUME_CLAIMS)[0]?.metadata.annotations?.[SELECTED_NODE];
  assert.equal(node(), 'other');
  await world.client.resource(NODES).delete('other');
  await world.clock.advance(1000);
  assert.equal(node(), undefined);
  assert.equal(world.disk.modes.size, 0);
  await world.close();
});

test('what cannot be had is refused with an event', async () => {
  const world = await start();
  const claim = claimOn('mine');
  world.wire.seed(PERSISTENT_VOLUME_CLAIMS, { ...claim, spec: { ...claim.spec, accessModes: ['ReadWriteMany'] } });
  await world.clock.advance(1000);
  assert.deepEqual(
    world.wire.objects(EVENTS).map(({ reason, message }) => `${reason} ${message}`),
    [
      'ProvisioningFailed failed to provision volume with StorageClass "local-path": access mode ReadWriteMany is not supported: only ReadWriteOnce and ReadWriteOncePod are',
    ],
  );
  await world.close();
});

test('a bound claim that asks for more has it, in both objects', async () => {
  const world = await start();
  const claim = world.wire.seed(PERSISTENT_VOLUME_CLAIMS, claimOn('mine'));
  await world.clock.advance(1000);
  const volumeName = `pvc-${claim.metadata.uid}`;
  const spec = { ...claim.spec, volumeName, resources: { requests: { storage: '3Gi' } } };
  world.wire.seed(PERSISTENT_VOLUME_CLAIMS, {
    ...claim,
    spec,
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  });
  await world.clock.advance(1000);
  assert.deepEqual(world.wire.objects(PERSISTENT_VOLUMES)[0]?.spec.capacity, { storage: '3Gi' });
  assert.deepEqual(world.wire.objects(PERSISTENT_VOLUME_CLAIMS)[0]?.status?.capacity, { storage: '3Gi' });
  assert.ok(reasons(world).includes('VolumeResizeSuccessful'));
  await world.close();
});

test('directories that nobody has are swept at the start when they are empty, and only then', async () => {
  const disk = new Disk();
  const [empty, full] = ['a', 'b'].map((digit) => `/volumes/pvc-0123456${digit}-89ab-cdef-0123-456789abcdef`);
  for (const path of [empty, full, '/volumes/else']) disk.modes.set(path ?? '', 0o777);
  disk.content.set(full ?? '', ['data']);
  const world = await start(disk);
  assert.deepEqual([...disk.modes.keys()], [full, '/volumes/else']);
  await world.close();
});
