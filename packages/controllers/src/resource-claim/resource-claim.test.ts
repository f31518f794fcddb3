import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['resourceclaim-controller'];
const FINALIZER = 'resource.kubernetes.io/delete-protection';
const DEVICES = { requests: [{ name: 'r', exactly: { deviceClassName: 'any' } }] };
const ALLOCATION = { devices: { results: [{ request: 'r', driver: 'd', pool: 'p', device: 'x' }] } };

function seedTemplate(world: TestWorld): void {
  const metadata = { labels: { from: 'template' }, annotations: { a: 'b' } };
  world.api.seed(RESOURCE_CLAIM_TEMPLATES, {
    metadata: { name: 't', namespace: 'ns' },
    spec: { metadata, spec: { devices: DEVICES } },
  });
}

function seedPod(world: TestWorld, name: string, claim: object, nodeName?: string): string {
  const spec = {
    containers: [],
    resourceClaims: [{ name: 'gpu', ...claim }],
    ...(nodeName === undefined ? {} : { nodeName }),
  };
  return world.api.seed(PODS, { metadata: { name, namespace: 'ns' }, spec }).metadata.uid ?? '';
}

const claims = (world: TestWorld): unknown =>
  world.api.objects(RESOURCE_CLAIMS).map(({ metadata, status }) => {
    const users = (status?.reservedFor ?? []).map(({ name }) => name).join();
    return `${metadata.name} ${status?.allocation === undefined ? '-' : 'allocated'} ${users}`.trim();
  });

test('a pod gets the claim of its template once, whatever is lost on the way, and hears its name', async () => {
  const world = createTestWorld(3);
  let turn = 0;
  world.network.faults.call = (call) =>
    call.cause !== undefined && turn++ % 2 === 0 ? { kind: 'lose-reply' } : undefined;
  const uid = seedPod(world, 'p', { resourceClaimTemplateName: 't' });
  let process = world.start(WHICH);
  await world.run(2000);
  assert.match(
    world.api.objects(EVENTS)[0]?.message ?? '',
    /PodResourceClaim gpu: resource claim template "t": resourceclaimtemplate\.resource\.k8s\.io "t" not found/,
  );
  seedTemplate(world);
  for (let i = 0; i < 5; i++) {
    await world.run(400);
    await process.kill();
    process = world.start(WHICH);
  }
  world.network.faults.call = undefined;
  await world.run(60_000);
  const [claim, ...others] = world.api.objects(RESOURCE_CLAIMS);
  assert.deepEqual(others, []);
  assert.match(claim?.metadata.name ?? '', /^p-gpu-/);
  assert.deepEqual(claim?.metadata.labels, { from: 'template' });
  assert.deepEqual(claim?.metadata.annotations, { a: 'b', 'resource.kubernetes.io/pod-claim-name': 'gpu' });
  assert.equal(claim?.metadata.ownerReferences?.[0]?.uid, uid);
  assert.deepEqual(world.api.objects(PODS)[0]?.status?.resourceClaimStatuses, [
    { name: 'gpu', resourceClaimName: claim?.metadata.name },
  ]);
  await process.kill();
});

test('a pod that was seen to go is not asked for: its claim loses its device at once', async () => {
  const world = createTestWorld();
  const uid = seedPod(world, 'p', { resourceClaimName: 'c' }, 'n');
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns', finalizers: [FINALIZER] },
    spec: { devices: DEVICES },
    status: { allocation: ALLOCATION, reservedFor: [{ resource: 'pods', name: 'p', uid }] },
  });
  const process = world.start(WHICH);
  await world.run(1000);
  const before = world.network.calls.length;
  await world.client.resource(PODS, 'ns').delete('p', { gracePeriodSeconds: 0 });
  await world.run(1000);
  assert.deepEqual(claims(world), ['c -']);
  assert.deepEqual(
    world.network.calls.slice(before).map(({ verb, resource }) => `${verb} ${resource.resource}`),
    ['delete pods', 'update resourceclaims', 'update resourceclaims'],
  );
  await process.kill();
});

test('a claim loses its device with its last user, and goes when somebody deleted it', async () => {
  const world = createTestWorld();
  const users = ['p', 'q'].map((name) => {
    const uid = seedPod(world, name, { resourceClaimName: 'c' }, 'n');
    return { resource: 'pods', name, uid };
  });
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns', finalizers: [FINALIZER] },
    spec: { devices: DEVICES },
    status: { allocation: ALLOCATION, reservedFor: [...users, { resource: 'pods', name: 'gone', uid: 'gone' }] },
  });
  const process = world.start(WHICH);
  await world.run(1000);
  assert.deepEqual(claims(world), ['c allocated p,q']);
  await world.client.resource(RESOURCE_CLAIMS, 'ns').delete('c');
  await world.client.resource(PODS, 'ns').delete('p', { gracePeriodSeconds: 0 });
  await world.run(1000);
  assert.deepEqual(claims(world), ['c allocated q'], 'kept for the other pod');
  const q = world.api.objects(PODS)[0];
  assert.ok(q !== undefined);
  world.api.setStatus(PODS, q, { phase: 'Succeeded' });
  await world.run(1000);
  assert.deepEqual(claims(world), []);
  await process.kill();
});

test('a claim that lost its device can be deleted at once', async () => {
  const world = createTestWorld();
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns', finalizers: [FINALIZER, 'example.com/mine'] },
    spec: { devices: DEVICES },
    status: { allocation: ALLOCATION, reservedFor: [{ resource: 'pods', name: 'gone', uid: 'gone' }] },
  });
  const process = world.start(WHICH);
  await world.run(1000);
  assert.deepEqual(claims(world), ['c -']);
  assert.deepEqual(world.api.objects(RESOURCE_CLAIMS)[0]?.metadata.finalizers, ['example.com/mine']);
  await process.kill();
});

test('a claim that was made for a pod goes when the pod has ended', async () => {
  const world = createTestWorld();
  seedTemplate(world);
  seedPod(world, 'p', { resourceClaimTemplateName: 't' });
  const process = world.start(WHICH);
  await world.run(1000);
  assert.equal((claims(world) as string[]).length, 1);
  const [pod] = world.api.objects(PODS);
  assert.ok(pod !== undefined);
  world.api.setStatus(PODS, pod, { ...pod.status, phase: 'Failed' });
  await world.run(1000);
  assert.deepEqual(claims(world), []);
  await process.kill();
});

test('a claim that was made for the extended resources of a pod goes when the pod has ended, and not before', async () => {
  const world = createTestWorld();
  const requests = { 'x.io/gpu': '1' };
  const spec = { containers: [{ name: 'c', image: 'i', resources: { requests } }], nodeName: 'n' };
  const pod = world.api.seed(PODS, { metadata: { name: 'p', namespace: 'ns' }, spec });
  const uid = pod.metadata.uid ?? '';
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true };
  const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'e', namespace: 'ns', finalizers: [FINALIZER], ownerReferences: [owner], annotations },
    spec: { devices: DEVICES },
    status: { allocation: ALLOCATION, reservedFor: [{ resource: 'pods', name: 'p', uid }] },
  });
  const process = world.start(WHICH);
  await world.run(1000);
  const requestMappings = [{ containerName: 'c', resourceName: 'x.io/gpu', requestName: 'r' }];
  const told = { extendedResourceClaimStatus: { resourceClaimName: 'e', requestMappings } };
  const patched = await world.client
    .resource(PODS, 'ns')
    .patch('p', 'merge', { status: told }, { subresource: 'status' });
  await world.run(60_000);
  assert.deepEqual(claims(world), ['e allocated p']);
  world.api.setStatus(PODS, patched, { ...patched.status, phase: 'Succeeded' });
  await world.run(1000);
  assert.deepEqual(claims(world), []);
  await process.kill();
});

test('a pod that was placed without a scheduler has its claim all the same', async () => {
  const world = createTestWorld();
  seedPod(world, 'p', { resourceClaimName: 'c' }, 'n');
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns' },
    spec: { devices: DEVICES },
    status: { allocation: ALLOCATION },
  });
  const process = world.start(WHICH);
  await world.run(1000);
  assert.deepEqual(claims(world), ['c allocated p']);
  await process.kill();
});

test('pods leave devices that must not be used any more, once they may no longer stay', async () => {
  const world = createTestWorld();
  const uid = seedPod(world, 'p', { resourceClaimName: 'c' }, 'n');
  const tolerations = [{ key: 'sick', operator: 'Exists' as const, tolerationSeconds: 30 }];
  const results = [{ request: 'r', driver: 'd', pool: 'p', device: 'x', tolerations }];
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns' },
    spec: { devices: DEVICES },
    status: { allocation: { devices: { results } }, reservedFor: [{ resource: 'pods', name: 'p', uid }] },
  });
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  world.api.seed(RESOURCE_SLICES, {
    metadata: { name: 's' },
    spec: { driver: 'd', pool, nodeName: 'n', devices: [{ name: 'x' }] },
  });
  const process = world.start(['device-taint-eviction-controller']);
  await world.run(1000);
  const timeAdded = new Date(world.clock.now()).toISOString();
  const devices = [{ name: 'x', taints: [{ key: 'sick', effect: 'NoExecute', timeAdded }] }];
  await world.client.resource(RESOURCE_SLICES).patch('s', 'merge', { spec: { devices } });
  await world.run(25_000);
  assert.equal(world.api.objects(PODS)[0]?.metadata.deletionTimestamp, undefined);
  await world.run(10_000);
  const [pod] = world.api.objects(PODS);
  assert.ok(pod === undefined || pod.metadata.deletionTimestamp !== undefined);
  assert.deepEqual(
    world.api.objects(EVENTS).map(({ reason }) => reason),
    ['DeviceTaintManagerEviction'],
  );
  await process.kill();
});
