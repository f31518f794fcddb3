import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import type { TxnRequest } from '@binnacle/store';
import { createBindingHandler } from '../kinds/core/pods/binding.ts';
import { createEvictionHandler } from '../kinds/core/pods/eviction.ts';
import { createOpenPolicy } from '../policy-open.ts';
import type { Policy, PolicyWorld } from '../policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const CURRENT = 'kube-system/manager;7;new';
const hold = (holderIdentity: string, leaseTransitions: number): object => ({
  metadata: { name: 'manager' },
  spec: { holderIdentity, leaseTransitions, leaseDurationSeconds: 15 },
});

/** A server whose Lease is held by `new` for the seventh time, with one pod; `before` runs ahead of each transaction. */
async function setUp(): Promise<TestServer & { before: ((request: TxnRequest) => Promise<void>) | undefined }> {
  const store = createMemoryStore({ clock: new VirtualClock(), startRevision: 100 });
  const txn = store.txn.bind(store);
  const hooks: { before: ((request: TxnRequest) => Promise<void>) | undefined } = { before: undefined };
  store.txn = async (request) => {
    await hooks.before?.(request);
    return txn(request);
  };
  const open = createOpenPolicy();
  const policy = (world: PolicyWorld): Policy => ({
    ...open,
    join: (own) => {
      const whole = { ...world, ...own };
      const subresources = { binding: createBindingHandler(whole), eviction: createEvictionHandler(whole) };
      return { ...open.join(own), behaviours: { pods: { subresources } } };
    },
  });
  const server = await startTestServer({ store, policy });
  await server.ask('POST /api/v1/namespaces', { metadata: { name: 'kube-system' } });
  assert.equal((await server.ask(`POST ${LEASES}`, hold('new', 7))).code, 201);
  assert.equal((await server.ask(`POST ${PODS_PATH}`, podNamed('there'))).code, 201);
  return Object.assign(hooks, server);
}

const WRITES = [
  ['create', `POST ${PODS_PATH}`, podNamed('made')],
  ['update', `PUT ${PODS_PATH}/there`, podNamed('there', { labels: { a: 'b' } })],
  ['patch', `PATCH ${PODS_PATH}/there`, { metadata: { labels: { a: 'b' } } }],
  ['delete with grace', `DELETE ${PODS_PATH}/there`, undefined],
  ['delete', `DELETE ${PODS_PATH}/there?gracePeriodSeconds=0`, undefined],
  ['delete of all', `DELETE ${PODS_PATH}`, undefined],
  ['binding', `POST ${PODS_PATH}/there/binding`, { metadata: { name: 'there' }, target: { name: 'n1' } }],
  ['eviction', `POST ${PODS_PATH}/there/eviction`, { metadata: { name: 'there' } }],
] as const;

const TERMS = [
  ['the leader before', 'kube-system/manager;6;old'],
  ['the same holder in a term before', 'kube-system/manager;6;new'],
  ['another holder of that number', 'kube-system/manager;7;old'],
  ['a Lease that there is not', 'kube-system/other;7;new'],
] as const;

for (const [verb, line, body] of WRITES) {
  test(`${verb}: of the leader's term it is done, of any other it is refused and changes nothing`, async () => {
    const { ask, store } = await setUp();
    const type = line.startsWith('PATCH') ? MERGE : {};
    const send = (fence: string) => ask(line, body, { ...type, 'binnacle-fence': fence });
    const { revision } = await store.status();
    for (const [name, fence] of TERMS) {
      const refused = await send(fence);
      assert.deepEqual([refused.code, refused.body['reason']], [409, 'Conflict'], name);
    }
    assert.equal((await store.status()).revision, revision);
    assert.equal((await send('kube-system/manager;x;new')).code, 400, 'what is no term is not overlooked');
    assert.ok((await send(CURRENT)).code < 300);
    assert.ok((await store.status()).revision > revision);
  });
}

test('another takes over between admission and commit: refused; the same one only renews: done', async () => {
  const world = await setUp();
  const during = (lease: object): void => {
    world.before = async () => {
      world.before = undefined;
      assert.equal((await world.ask(`PATCH ${LEASES}/manager`, lease, MERGE)).code, 200);
    };
  };
  const create = (name: string) => world.ask(`POST ${PODS_PATH}`, podNamed(name), { 'binnacle-fence': CURRENT });
  during({ ...hold('new', 7), metadata: { labels: { renewed: 'yes' } } });
  const renewed = await create('renewed');
  assert.equal(renewed.code, 201, String(renewed.body['message']));
  during(hold('third', 8));
  assert.equal((await create('taken-over')).code, 409);
  assert.equal((await world.ask(`GET ${PODS_PATH}/taken-over`)).code, 404);
});

test('the Lease goes between admission and commit: refused; a name that is taken is told as ever', async () => {
  const world = await setUp();
  const headers = { 'binnacle-fence': CURRENT };
  const taken = await world.ask(`POST ${PODS_PATH}`, podNamed('there'), headers);
  assert.deepEqual([taken.code, taken.body['reason']], [409, 'AlreadyExists']);
  world.before = async () => {
    world.before = undefined;
    assert.equal((await world.ask(`DELETE ${LEASES}/manager`)).code, 200);
  };
  assert.equal((await world.ask(`POST ${PODS_PATH}`, podNamed('late'), headers)).code, 409);
});
