import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { RESOURCE_CLAIMS } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import { ClaimMaker } from './claim-maker.ts';

test('nothing is kept of a pod that went before it could hear of its claim', async () => {
  const world = createTestWorld();
  const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'any' } }] } };
  const template = { metadata: { name: 't', namespace: 'ns' }, spec: { metadata: {}, spec } };
  const none = { get: () => undefined, byIndex: () => [] };
  const maker = new ClaimMaker({
    kit: { client: world.client },
    claims: none,
    templates: { get: () => template },
    events: { event: () => undefined },
  });
  const pod = {
    metadata: { name: 'p', namespace: 'ns', uid: 'u' },
    spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] },
  };
  const context = {
    signal: new AbortController().signal,
    cause: { id: 'c', component: 'test', request: 'test' },
    requeueAfter: () => undefined,
    postpone: () => undefined,
  };
  const provided = assert.rejects(maker.provide(pod, context), (error) => status.isNotFound(error));
  await world.run(1000);
  await provided;
  assert.equal(world.api.objects(RESOURCE_CLAIMS).length, 1);
  assert.equal(maker.pending, 1);
  maker.forget(pod);
  assert.equal(maker.pending, 0);
});
