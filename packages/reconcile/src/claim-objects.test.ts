import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { controllerOf, selectorFromObject } from '@binnacle/machinery';
import { PODS, REPLICA_SETS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { claimObjects } from './claim-objects.ts';
import { setUpPods } from './test-pods.ts';

function setUp() {
  const world = setUpPods();
  const { client, owner, context } = world;
  const claim = async (candidates: readonly Pod[]): Promise<readonly string[]> => {
    const selector = selectorFromObject({ matchLabels: { a: 'b' } });
    const options = { client, owner, ownerRef: REPLICA_SETS, selector, ref: PODS, candidates };
    return (await claimObjects(options, context)).map((pod) => pod.metadata.name ?? '');
  };
  const ownerOf = (name: string): string | undefined =>
    controllerOf(world.wire.objects(PODS).find((pod) => pod.metadata.name === name) ?? { metadata: {} })?.name;
  return { ...world, claim, ownerOf };
}

test('releases, adopts, and answers what is the owner’s then', async () => {
  const { claim, pod, ownerOf } = setUp();
  const mine = await claim([pod('own', { a: 'b' }), pod('left', { a: 'c' }), pod('orphan', { a: 'b' }, false)]);
  assert.deepEqual(mine, ['own', 'orphan']);
  assert.deepEqual(['own', 'left', 'orphan'].map(ownerOf), ['web', undefined, 'web']);
});

test('one that went meanwhile, or became another of its name, is passed over', async () => {
  const { claim, pod, client } = setUp();
  const [gone, other] = [pod('gone', { a: 'b' }, false), pod('released', { a: 'c' })];
  await client.resource(PODS, 'ns').delete('gone');
  await client.resource(PODS, 'ns').delete('released');
  assert.deepEqual(await claim([gone, other, pod('own', { a: 'b' })]), ['own']);
});

test('an owner that the server no longer has, or has again under another uid, adopts nothing', async () => {
  const { claim, pod, client, ownerOf, wire } = setUp();
  const orphan = pod('orphan', { a: 'b' }, false);
  await client.resource(REPLICA_SETS, 'ns').delete('web');
  assert.deepEqual(await claim([orphan]), []);
  const spec = { selector: { matchLabels: { a: 'b' } } };
  wire.seed(REPLICA_SETS, { metadata: { name: 'web', namespace: 'ns' }, spec });
  assert.deepEqual(await claim([orphan]), []);
  assert.equal(ownerOf('orphan'), undefined);
});
