import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { status, StatusError } from '@binnacle/machinery';
import { PODS, REPLICA_SETS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { Expectations } from './expectations.ts';
import { isNamespaceTerminating, PodControl } from './pod-control.ts';
import { setUpPods } from './test-pods.ts';

function setUp() {
  const world = setUpPods();
  const expectations = new Expectations(world.clock);
  const { client, recorder: events } = world;
  const cached = new Map<string, Pod>();
  const control = new PodControl({ ref: REPLICA_SETS, client, events, expectations, pods: cached });
  const order = { owner: world.owner, key: 'ns/web' };
  const { ownerReferences } = world;
  const draft = (name: string) => ({
    metadata: { name, namespace: 'ns', ownerReferences },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  });
  return { ...world, cached, expectations, control, order, draft };
}

test('what is made and deleted is expected to show, and told', async () => {
  const { control, order, draft, context, events, expectations, wire, client } = setUp();
  await control.create(order, draft('web-a'), context);
  assert.equal(expectations.isSatisfied('ns/web'), false);
  const { uid = '' } = (await client.resource(PODS, 'ns').get('web-a')).metadata;
  expectations.settleCreation('ns/web', 'web-a', uid);
  assert.equal(expectations.isSatisfied('ns/web'), true);
  await control.remove(order, await client.resource(PODS, 'ns').get('web-a'), context);
  assert.equal(expectations.isSatisfied('ns/web'), false);
  assert.deepEqual(events, ['SuccessfulCreate: Created pod: web-a', 'SuccessfulDelete: Deleted pod: web-a']);
  const writes = wire.calls.filter((call) => call.verb !== 'get' && call.verb !== 'list');
  assert.ok(
    writes.every((call) => call.cause === context.cause),
    'each write carries its cause',
  );
});

test('a pod of that name that is the owner’s already is as good as made; anybody else’s is not', async () => {
  const { control, order, draft, context, pod, expectations, events } = setUp();
  const { uid = '' } = pod('web-a', {}).metadata;
  await control.create(order, draft('web-a'), context);
  assert.equal(expectations.isSatisfied('ns/web'), false, 'the cache has to show it');
  expectations.settleCreation('ns/web', 'web-a', uid);
  pod('web-b', {}, false);
  await assert.rejects(control.create(order, draft('web-b'), context), (error) => status.isAlreadyExists(error));
  assert.equal(expectations.isSatisfied('ns/web'), true);
  assert.deepEqual(events, []);
});

test('one that the cache has had since before it was asked for is waited for no more: of a pod that does not change nothing is told', async () => {
  const { control, order, draft, context, pod, cached, expectations } = setUp();
  cached.set('ns/web-a', pod('web-a', {}));
  await control.create(order, draft('web-a'), context);
  assert.equal(expectations.isSatisfied('ns/web'), true);
  // Another one of that name, which is gone by now, says nothing of the one that is there.
  cached.set('ns/web-b', { ...pod('web-b', {}), metadata: { name: 'web-b', namespace: 'ns', uid: 'before' } });
  await control.create(order, draft('web-b'), context);
  assert.equal(expectations.isSatisfied('ns/web'), false);
});

test('a refusal is told and settles the expectation, except where the namespace is going', async () => {
  const { control, order, draft, context, wire, events, expectations } = setUp();
  const refuse = (why: string) => () => ({
    kind: 'refuse' as const,
    error: status.forbidden(PODS, 'web-a', why),
  });
  wire.faults.call = refuse('exceeded quota');
  await assert.rejects(control.create(order, draft('web-a'), context));
  assert.equal(expectations.isSatisfied('ns/web'), true);
  assert.deepEqual(events, ['FailedCreate: Error creating: pods "web-a" is forbidden: exceeded quota']);
  wire.faults.call = refuse('unable to create new content in namespace ns because it is being terminated');
  await assert.rejects(control.create(order, draft('web-a'), context), isNamespaceTerminating);
  assert.equal(events.length, 1);
});

test('deleting a pod that is gone, or whose name another pod has, is done already', async () => {
  const { control, order, context, pod, client, events, expectations } = setUp();
  const gone = pod('web-a', {});
  await client.resource(PODS, 'ns').delete('web-a');
  await control.remove(order, gone, context);
  assert.equal(expectations.isSatisfied('ns/web'), true);
  pod('web-a', {});
  await control.remove(order, gone, context);
  assert.equal(expectations.isSatisfied('ns/web'), true);
  assert.deepEqual(events, []);
  assert.equal((await client.resource(PODS, 'ns').list()).items.length, 1);
});

const TERMINATING = 'unable to create new content in namespace ns because it is being terminated';
const causes = [
  { reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' },
];
const ofTermination: readonly (readonly [name: string, error: unknown, isTerminating: boolean])[] = [
  ['by its cause', new StatusError({ ...status.forbidden(PODS, 'p', 'no').status, details: { causes } }), true],
  ['by its words, of servers that name no cause', status.forbidden(PODS, 'p', TERMINATING), true],
  ['any other refusal', status.forbidden(PODS, 'p', 'exceeded quota'), false],
  ['the words in an error of another sort', status.conflict(PODS, 'p', TERMINATING), false],
  ['no answer at all', new RangeError(TERMINATING), false],
];
for (const [name, error, isTerminating] of ofTermination) {
  test(`whether a namespace is going: ${name}`, () => assert.equal(isNamespaceTerminating(error), isTerminating));
}
