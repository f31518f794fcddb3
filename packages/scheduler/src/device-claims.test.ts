/** Claims for devices by a scheduler that runs: what holds while others write, and when another one takes over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Device, ResourceClaim } from '@binnacle/api/resource/v1';
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
      profiles: [defaultProfile()],
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

  claim(name: string): ResourceClaim | undefined {
    return this.wire.objects(RESOURCE_CLAIMS).find(({ metadata }) => metadata.name === name);
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
