import { FieldError, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenPolicy } from '../policy-open.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const A_MAP = { resource: { group: '', resource: 'configmaps' }, namespace: 'default', name: 'a' };
const dataOf = (object: KubeObject): { [key: string]: string } => {
  const holder = object as { data?: { [key: string]: string } };
  return (holder.data ??= {});
};

test('changes a draft of its own, without admission, and runs again after a lost race', async () => {
  const { ask, parts } = await startTestServer({
    policy: () => ({
      ...createOpenPolicy(),
      admission: [{ name: 'No', handles: (op) => op === 'UPDATE', admit: () => assert.fail('not asked') }],
    }),
  });
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' }, data: { n: '0' } });
  const { update } = parts.own;
  const many = await Promise.all(
    Array.from({ length: 8 }, () =>
      update(A_MAP, (draft) => {
        dataOf(draft)['n'] = String(Number(dataOf(draft)['n']) + 1);
      }),
    ),
  );
  assert.equal(many.length, 8);
  assert.deepEqual((await ask(`GET ${MAPS}/a`)).body['data'], { n: '8' });
});

test('a refusal passes through, a missing object is 404', async () => {
  const { ask, parts } = await startTestServer();
  const { update } = parts.own;
  await assert.rejects(
    update(A_MAP, () => undefined),
    status.isNotFound,
  );
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  const refusal = status.conflict({ group: '', resource: 'configmaps' }, 'a', 'no');
  await assert.rejects(
    update(A_MAP, () => {
      throw refusal;
    }),
    (error) => error === refusal,
  );
});

test('a binding may set what no update may', async () => {
  const { ask, parts } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('p'));
  const { update } = parts.own;
  const pod = { resource: { group: '', resource: 'pods' }, namespace: 'default', name: 'p' };
  const bind = (draft: KubeObject): void => {
    (draft as { spec?: { nodeName?: string } }).spec = { ...(draft as { spec?: object }).spec, nodeName: 'n' };
  };
  await assert.rejects(update(pod, bind), status.isInvalid);
  const bound = await update(pod, bind, { subresource: 'binding' });
  assert.equal((bound as { spec?: { nodeName?: string } }).spec?.nodeName, 'n');
  assert.equal(bound.metadata.generation, 1);
});

test('who shares what is there replaces parts of it, and says what could be wrong', async () => {
  const { ask, parts } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('p'));
  const { update } = parts.own;
  const pod = { resource: { group: '', resource: 'pods' }, namespace: 'default', name: 'p' };
  const before = (await update(pod, () => undefined)) as { spec?: { containers?: unknown } };
  const own = { subresource: 'binding', shares: true } as const;
  const bind = (draft: KubeObject): void => {
    (draft as { spec?: object }).spec = { ...(draft as { spec?: object }).spec, nodeName: 'n' };
  };
  const write = (draft: KubeObject): void => {
    (draft as { spec?: { nodeName?: string } }).spec!.nodeName = 'n';
  };
  await assert.rejects(update(pod, write, own), TypeError, 'what is shared is frozen');
  const wrong = new FieldError('FieldValueInvalid', 'spec.nodeName', 'n', 'no');
  await assert.rejects(update(pod, bind, { ...own, validate: () => [wrong] }), status.isInvalid);
  const bound = (await update(pod, bind, own)) as { spec?: { containers?: unknown; nodeName?: string } };
  assert.equal(bound.spec?.nodeName, 'n');
  assert.equal(bound.spec?.containers, before.spec?.containers, 'kept once');
});
