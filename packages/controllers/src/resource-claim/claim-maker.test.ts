import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { PODS, RESOURCE_CLAIMS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { ClaimMaker } from './claim-maker.ts';

function start(): { world: TestWorld; maker: ClaimMaker; provide: (pod: Pod) => Promise<Pod | undefined> } {
  const world = createTestWorld();
  const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'any' } }] } };
  const template = { metadata: { name: 't', namespace: 'ns' }, spec: { metadata: {}, spec } };
  // A cache that is far behind.
  const none = { get: () => undefined, byIndex: () => [] };
  const maker = new ClaimMaker({
    kit: { client: world.client },
    counted: () => undefined,
    claims: none,
    templates: { get: () => template },
    events: { event: () => undefined },
  });
  const context = {
    signal: new AbortController().signal,
    cause: { id: 'c', component: 'test', request: 'test' },
    requeueAfter: () => undefined,
    postpone: () => undefined,
  };
  const provide = async (pod: Pod): Promise<Pod | undefined> => {
    const settled = Promise.allSettled([maker.provide(pod, context)]);
    await world.run(1000);
    const [outcome] = await settled;
    if (outcome?.status === 'rejected') throw outcome.reason;
    return world.api.objects(PODS).find(({ metadata }) => metadata.uid === pod.metadata.uid);
  };
  return { world, maker, provide };
}

const POD: Pod = {
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }],
  },
};

test('nothing is kept of a pod that went before it could hear of its claim', async () => {
  const { world, maker, provide } = start();
  await assert.rejects(provide(POD), (error) => status.isNotFound(error));
  assert.equal(world.api.objects(RESOURCE_CLAIMS).length, 1);
  assert.equal(maker.pending, 1);
  maker.forget(POD);
  assert.equal(maker.pending, 0);
});

test('a pod that knows of its claim before the cache does gets no second one, unless it was deleted', async () => {
  const { world, provide } = start();
  const told = await provide(world.api.seed(PODS, POD));
  const [claim] = world.api.objects(RESOURCE_CLAIMS);
  const namesOf = (pod: Pod | undefined) => pod?.status?.resourceClaimStatuses?.map((one) => one.resourceClaimName);
  assert.deepEqual(namesOf(told), [claim?.metadata.name]);
  assert.ok(told !== undefined);
  const again = await provide(told);
  assert.deepEqual([world.api.objects(RESOURCE_CLAIMS).length, namesOf(again)], [1, namesOf(told)]);
  const deleted = world.client.resource(RESOURCE_CLAIMS, 'ns').delete(claim?.metadata.name ?? '');
  await world.run(1000);
  await deleted;
  const anew = await provide(told);
  assert.deepEqual(
    namesOf(anew),
    world.api.objects(RESOURCE_CLAIMS).map(({ metadata }) => metadata.name),
  );
  assert.notDeepEqual(namesOf(anew), namesOf(told));
});
