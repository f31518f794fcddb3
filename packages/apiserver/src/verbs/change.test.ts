import { status } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenPolicy } from '../policy-open.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { startTestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };

test('a patch that loses a race starts over, admission included', async () => {
  const admitted: unknown[] = [];
  const races: (() => Promise<unknown>)[] = [];
  const { ask } = await startTestServer({
    policy: () => ({
      ...createOpenPolicy(),
      admission: [
        {
          name: 'Witness',
          handles: (operation) => operation === 'UPDATE',
          async admit({ object }) {
            admitted.push((object as unknown as { data: unknown }).data);
            await races.pop()?.();
          },
        },
      ],
    }),
  });
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' }, data: { n: '0' } });
  races.push(() => ask(`PATCH ${MAPS}/a`, { data: { other: 'yes' } }, MERGE));
  const { code, body } = await ask(`PATCH ${MAPS}/a`, { data: { mine: 'too' } }, MERGE);
  assert.equal(code, 200);
  assert.deepEqual(body['data'], { n: '0', other: 'yes', mine: 'too' });
  assert.deepEqual(admitted, [
    { n: '0', mine: 'too' },
    { n: '0', other: 'yes' },
    { n: '0', other: 'yes', mine: 'too' },
  ]);
});

test('an update with a resourceVersion that loses a race is a conflict', async () => {
  const races: (() => Promise<unknown>)[] = [];
  const { ask } = await startTestServer({
    policy: () => ({
      ...createOpenPolicy(),
      admission: [
        {
          name: 'Race',
          handles: () => true,
          admit: () =>
            races
              .pop()?.()
              .then(() => undefined),
        },
      ],
    }),
  });
  const { body } = await ask(`POST ${MAPS}`, { metadata: { name: 'a' }, data: { n: '0' } });
  races.push(() => ask(`PATCH ${MAPS}/a`, { data: { n: '1' } }, MERGE));
  const { code } = await ask(`PUT ${MAPS}/a`, { ...body, data: { n: '2' } });
  assert.equal(code, 409);
  assert.deepEqual((await ask(`GET ${MAPS}/a`)).body['data'], { n: '1' });
});

test('a refusal by admission stores nothing and undoes what was allocated', async () => {
  const undone: string[] = [];
  const { ask } = await startTestServer({
    policy: () =>
      openPolicyWith(
        {
          configmaps: {
            strategy: {
              allocate: (object) => Promise.resolve({ undo: () => void undone.push(object.metadata.name ?? '') }),
            },
          },
        },
        {
          admission: [
            {
              name: 'No',
              handles: (operation) => operation === 'UPDATE',
              validate: ({ info, name }) => {
                throw status.forbidden(info, name, 'no changes today');
              },
            },
          ],
        },
      ),
  });
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  const { code, body } = await ask(`PATCH ${MAPS}/a`, { data: { n: '1' } }, MERGE);
  assert.deepEqual([code, body['message']], [403, 'configmaps "a" is forbidden: no changes today']);
  assert.deepEqual(undone, ['a']);
  assert.equal((await ask(`GET ${MAPS}/a`)).body['data'], undefined);
});

test('taking the last finalizer off an object that is being deleted deletes it', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${MAPS}`, { metadata: { name: 'a', finalizers: ['test.io/hold'] } });
  const marked = await ask(`DELETE ${MAPS}/a`);
  assert.equal(marked.code, 200);
  assert.equal(marked.body.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
  assert.equal((await ask(`GET ${MAPS}/a`)).code, 200);
  const added = await ask(`PATCH ${MAPS}/a`, { metadata: { finalizers: ['test.io/hold', 'test.io/new'] } }, MERGE);
  assert.equal(added.code, 422, 'no finalizer joins now');
  assert.equal((await ask(`PATCH ${MAPS}/a`, { metadata: { finalizers: null } }, MERGE)).code, 200);
  assert.equal((await ask(`GET ${MAPS}/a`)).code, 404);
});
