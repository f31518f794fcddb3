/** Claims for devices by a scheduler that runs: what holds while others write, and when another one takes over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_CLASSES, EVENTS, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { AllocatedDeviceStatus, Device, ResourceClaim } from '@binnacle/api/resource/v1';
import { createSeededRandom, Scope, silentLogger, silentTrace, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { defaultProfile } from './profile.ts';
import { startScheduler } from './scheduler.ts';
import { makeClaim, makeClass, makeSlice, request } from './testing/devices.ts';
import { makeNode, makePod } from './testing/objects.ts';

/** Nodes and devices, with a scheduler that may be replaced. */
class World {
  readonly clock = new VirtualClock();
  readonly #random = createSeededRandom(1);
  readonly wire = overFaultyNetwork(createMemoryApi({ clock: this.clock, random: this.#random }), this.clock);
  readonly client = createClient(this.wire);
  /** How waits for devices ended: `default-scheduler success 5 s d.example.org!`, with `!` where the device was awaited. */
  readonly waits: string[] = [];
  #scope: Scope | undefined;

  constructor(...devices: readonly Device[]) {
    this.wire.seed(NODES, makeNode('n'));
    this.wire.seed(DEVICE_CLASSES, makeClass('any'));
    this.wire.seed(RESOURCE_SLICES, makeSlice('n', devices));
  }

  /** Another scheduler starts; the one before it ends. */
  async restart(): Promise<void> {
    await this.#scope?.close();
    this.#scope = new Scope('test');
    startScheduler({
      client: createClient(this.wire.connect()),
      world: { clock: this.clock, random: this.#random, log: silentLogger, trace: silentTrace },
      scope: this.#scope,
      devices: {
        ended: ({ profile, status, seconds, devices }) => {
          const told = devices.map(({ driver, awaited }) => `${driver}${awaited ? '!' : ''}`);
          this.waits.push(`${profile} ${status} ${Math.round(seconds)} s ${told.join()}`);
        },
      },
      profiles: [defaultProfile(), defaultProfile('other')],
    });
    await this.clock.advance(10);
  }

  /** A pod with a claim of its own, `c-POD`. */
  async pod(name: string, ...requests: Parameters<typeof makeClaim>[1]): Promise<void> {
    const { metadata, spec } = makeClaim(`c-${name}`, requests);
    this.wire.seed(RESOURCE_CLAIMS, { metadata: { name: metadata.name ?? '', namespace: 'default' }, spec });
    this.wire.seed(PODS, makePod(name, { resourceClaims: [{ name: 'r', resourceClaimName: `c-${name}` }] }));
    await this.clock.advance(1_000);
  }

  /** A pod that asks for an extended resource. */
  async asking(name: string, count = 1): Promise<void> {
    this.wire.seed(PODS, makePod(name, { resources: { 'example.com/gpu': String(count) } }));
    await this.clock.advance(1_000);
  }

  claim(name: string): ResourceClaim | undefined {
    return this.wire.objects(RESOURCE_CLAIMS).find(({ metadata }) => metadata.name === name);
  }

  /** What a driver says of a device that a claim has. */
  async tell(name: string, ...types: readonly string[]): Promise<void> {
    const claims = this.client.resource(RESOURCE_CLAIMS, 'default');
    const claim = await claims.get(name);
    const devices = (claim.status?.allocation?.devices?.results ?? []).map(
      ({ driver, pool, device }): AllocatedDeviceStatus => ({
        driver,
        pool,
        device,
        conditions: types.map((type) => ({
          type,
          status: 'True',
          reason: 'Told',
          message: 'said so',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
      }),
    );
    await claims.updateStatus({ ...claim, status: { ...claim.status, devices } });
    await this.clock.advance(10);
  }

  /** The device of a claim. */
  deviceOf(name: string): string | undefined {
    return this.claim(name)?.status?.allocation?.devices?.results?.[0]?.device;
  }

  /** Why pods were not scheduled, one after the other. */
  async failures(): Promise<string> {
    await this.clock.advance(5_000);
    const failed = this.wire.objects(EVENTS).filter(({ reason }) => reason === 'FailedScheduling');
    return failed.map(({ message, involvedObject }) => `${involvedObject.name ?? ''}: ${message ?? ''}`).join('\n');
  }

  nodeOf(name: string): string | undefined {
    return this.wire.objects(PODS).find(({ metadata }) => metadata.name === name)?.spec.nodeName;
  }

  async close(): Promise<void> {
    await this.#scope?.close();
    await this.wire.close();
  }
}

test('a scheduler that takes over counts the shares that were given before it, and those that are given back', async () => {
  const capacity = { memory: { value: '10' } };
  const world = new World({ name: 'd', allowMultipleAllocations: true, capacity });
  const part = (amount: string) => request('r', { capacity: { requests: { memory: amount } } });
  await world.restart();
  await world.pod('a', part('6'));
  await world.restart();
  await world.pod('b', part('5'));
  await world.pod('c', part('4'));
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => world.nodeOf(name)),
    ['n', undefined, 'n'],
  );
  await world.restart();
  const claims = world.client.resource(RESOURCE_CLAIMS, 'default');
  await claims.updateStatus({ ...(await claims.get('c-a')), status: {} });
  await world.clock.advance(20_000);
  assert.equal(world.nodeOf('b'), 'n');
  const { shareID, ...result } = world.claim('c-b')?.status?.allocation?.devices?.results?.[0] ?? {};
  assert.match(shareID ?? '', /^[0-9a-f-]{36}$/);
  const expected = { request: 'r', driver: 'd.example.org', pool: 'n', device: 'd', consumedCapacity: { memory: '5' } };
  assert.deepEqual(result, expected);
  await world.close();
});

const SLOW = { bindingConditions: ['Attached'], bindingFailureConditions: ['Broken'], bindsToNode: true };

test('a pod is bound once its device is ready; others go on meanwhile', async () => {
  const world = new World({ name: 'slow', ...SLOW }, { name: 'quick' });
  await world.restart();
  await world.pod('a', request('r'));
  assert.deepEqual([world.deviceOf('c-a'), world.nodeOf('a')], ['slow', undefined]);
  const [result] = world.claim('c-a')?.status?.allocation?.devices?.results ?? [];
  assert.deepEqual(
    [result?.bindingConditions, result?.bindingFailureConditions, world.claim('c-a')?.status?.reservedFor?.length],
    [['Attached'], ['Broken'], 1],
  );
  await world.pod('b', request('r'));
  assert.equal(world.nodeOf('b'), 'n');
  await world.tell('c-a', 'Cold');
  await world.clock.advance(500_000);
  assert.equal(world.nodeOf('a'), undefined);
  await world.tell('c-a', 'Attached');
  assert.equal(world.nodeOf('a'), 'n');
  assert.deepEqual(
    world.waits,
    ['default-scheduler success 502 s d.example.org!'],
    'who waits for nothing is not told of',
  );
  await world.close();
});

test('a device that fails is taken back, and the pod gets another one', async () => {
  const world = new World({ name: 'one', ...SLOW }, { name: 'two', ...SLOW });
  await world.restart();
  await world.pod('a', request('r'));
  assert.equal(world.deviceOf('c-a'), 'one');
  // Drivers taint what they cannot make ready.
  const tainted = makeSlice('n', [
    { name: 'one', ...SLOW, taints: [{ key: 'broken', effect: 'NoSchedule' }] },
    { name: 'two', ...SLOW },
  ]);
  const slices = world.client.resource(RESOURCE_SLICES);
  await slices.update({ ...tainted, metadata: (await slices.get(tainted.metadata.name ?? '')).metadata });
  await world.tell('c-a', 'Broken');
  assert.match(await world.failures(), /device binding failed: claim=c-a, reason=Told, message="said so"/);
  await world.clock.advance(30_000);
  assert.deepEqual([world.deviceOf('c-a'), world.nodeOf('a')], ['two', undefined]);
  assert.equal(world.claim('c-a')?.status?.devices, undefined);
  assert.deepEqual(world.waits, ['default-scheduler failure 1 s d.example.org!']);
  await world.tell('c-a', 'Attached');
  assert.equal(world.nodeOf('a'), 'n');
  await world.close();
});

test('a device that is not ready in time is taken back', async () => {
  const world = new World({ name: 'one', ...SLOW }, { name: 'two', ...SLOW });
  await world.restart();
  await world.pod('a', request('r'));
  const before = world.claim('c-a')?.status?.allocation?.allocationTimestamp;
  await world.clock.advance(598_000);
  assert.equal(world.claim('c-a')?.status?.allocation?.allocationTimestamp, before);
  await world.clock.advance(2_000);
  assert.match(await world.failures(), /device binding timeout: claim=c-a/);
  assert.deepEqual(world.waits, ['default-scheduler timeout 600 s d.example.org!']);
  await world.clock.advance(30_000);
  const after = world.claim('c-a')?.status?.allocation?.allocationTimestamp;
  assert.ok(after !== undefined && after !== before, 'it is tried anew');
  await world.tell('c-a', 'Attached');
  assert.equal(world.nodeOf('a'), 'n');
  await world.close();
});

test('a scheduler that takes over waits on for the same device, and no longer than the one before it', async () => {
  const world = new World({ name: 'one', ...SLOW }, { name: 'two', ...SLOW });
  await world.restart();
  await world.pod('a', request('r'));
  await world.pod('b', request('r'));
  const before = ['a', 'b'].map((name) => world.claim(`c-${name}`)?.status?.allocation);
  await world.clock.advance(300_000);
  await world.restart();
  assert.deepEqual(world.waits, [], 'a scheduler that ends has seen no end of them');
  await world.clock.advance(5_000);
  assert.deepEqual(
    ['a', 'b'].map((name) => world.claim(`c-${name}`)?.status?.allocation),
    before,
  );
  await world.tell('c-b', 'Attached');
  assert.deepEqual([world.nodeOf('a'), world.nodeOf('b')], [undefined, 'n']);
  assert.equal(world.claim('c-b')?.status?.reservedFor?.length, 1);
  await world.clock.advance(295_000);
  assert.match(await world.failures(), /device binding timeout: claim=c-a/);
  await world.close();
});

test('a claim that goes while its pod waits, and one that loses its device, let the pod wait no longer', async () => {
  for (const act of ['delete', 'deallocate'] as const) {
    const world = new World({ name: 'one', ...SLOW });
    await world.restart();
    await world.pod('a', request('r'));
    const claims = world.client.resource(RESOURCE_CLAIMS, 'default');
    const claim = await claims.get('c-a');
    if (act === 'deallocate') await claims.updateStatus({ ...claim, status: {} });
    else {
      await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers: [] } });
      await claims.delete('c-a');
    }
    await world.clock.advance(500);
    const why = act === 'delete' ? /resourceclaim "c-a" not found|got deleted/ : /got deallocated elsewhere/;
    assert.match(await world.failures(), why);
    assert.deepEqual(world.waits, ['default-scheduler error 1 s d.example.org!']);
    await world.close();
  }
});

const GPU_CLASS = { ...makeClass('gpus'), spec: { extendedResourceName: 'example.com/gpu' } };

test('devices stand for an extended resource from the moment on that a class says so, and go to the next pod with the claim', async () => {
  const world = new World({ name: 'one' }, { name: 'two' });
  await world.restart();
  await world.asking('a', 2);
  assert.equal(world.nodeOf('a'), undefined);
  await world.client.resource(DEVICE_CLASSES).create(GPU_CLASS);
  await world.clock.advance(20_000);
  assert.equal(world.nodeOf('a'), 'n');
  await world.asking('b');
  await world.pod('c', request('r'));
  assert.deepEqual([world.nodeOf('b'), world.nodeOf('c')], [undefined, undefined]);
  await world.restart();
  const [claim] = world.wire.objects(RESOURCE_CLAIMS).filter(({ metadata }) => metadata.name !== 'c-c');
  assert.deepEqual(
    claim?.status?.allocation?.devices?.results?.map(({ device }) => device),
    ['one', 'two'],
  );
  const claims = world.client.resource(RESOURCE_CLAIMS, 'default');
  await claims.updateStatus({ ...claim, status: {} } as ResourceClaim);
  await world.clock.advance(20_000);
  assert.deepEqual([world.nodeOf('b'), world.nodeOf('c')], ['n', 'n']);
  await world.close();
});

test('a scheduler that takes over makes the claim for extended resources anew; one that fails takes it away', async () => {
  const world = new World({ name: 'one', ...SLOW }, { name: 'two', ...SLOW });
  await world.restart();
  await world.client.resource(DEVICE_CLASSES).create(GPU_CLASS);
  await world.asking('a');
  const name = (): string => world.wire.objects(RESOURCE_CLAIMS)[0]?.metadata.name ?? '';
  const first = name();
  assert.match(first, /^a-extended-resources-/);
  await world.restart();
  await world.clock.advance(20_000);
  const second = name();
  assert.notEqual(second, first);
  assert.equal(world.wire.objects(RESOURCE_CLAIMS).length, 1);
  await world.tell(second, 'Broken');
  await world.clock.advance(20_000);
  const third = name();
  assert.ok(third !== second && third !== '');
  await world.tell(third, 'Attached');
  assert.equal(world.nodeOf('a'), 'n');
  const told = world.wire.objects(PODS)[0]?.status?.extendedResourceClaimStatus?.resourceClaimName;
  assert.deepEqual([told, world.wire.objects(RESOURCE_CLAIMS).length], [third, 1]);
  await world.close();
});

test('what one profile has promised no other profile gives away', async () => {
  const world = new World({ name: 'one' });
  await world.restart();
  for (const [name, schedulerName] of [
    ['a', 'default-scheduler'],
    ['b', 'other'],
  ] as const) {
    const { metadata, spec } = makeClaim(`c-${name}`, [request('r')]);
    world.wire.seed(RESOURCE_CLAIMS, { metadata: { name: metadata.name ?? '', namespace: 'default' }, spec });
    const resourceClaims = [{ name: 'r', resourceClaimName: `c-${name}` }];
    world.wire.seed(PODS, makePod(name, { resourceClaims, schedulerName }));
  }
  await world.clock.advance(20_000);
  assert.deepEqual([world.deviceOf('c-a'), world.deviceOf('c-b')].toSorted(), ['one', undefined]);
  await world.close();
});
