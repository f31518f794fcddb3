import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from '../../policy.ts';
import { createTokenKeys } from '../../node/token-keys.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestServer } from '../../testing/test-server.ts';

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

async function start(): Promise<TestServer> {
  const started = await startTestServer({
    user: ADMIN,
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys() }),
  });
  await started.ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  return started;
}

/** As the quota controller leaves it. */
async function setQuota({ ask }: TestServer, name: string, hard: { readonly [name: string]: string }): Promise<void> {
  const path = '/api/v1/namespaces/a/resourcequotas';
  const made = await ask(`POST ${path}`, { metadata: { name }, spec: { hard } });
  assert.equal(made.code, 201);
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
  const counted = await ask(`PUT ${path}/${name}/status`, { ...made.body, status: { hard, used } });
  assert.equal(counted.code, 200);
}

const used = async ({ ask }: TestServer, name: string): Promise<unknown> =>
  ((await ask(`GET /api/v1/namespaces/a/resourcequotas/${name}`)).body['status'] as { used: unknown }).used;

const revision = async ({ ask }: TestServer): Promise<number> =>
  Number((await ask('GET /api/v1/namespaces/a/configmaps')).body.metadata.resourceVersion);

test('a hundred at once: as many as the quotas allow, in few writes', async () => {
  const server = await start();
  await setQuota(server, 'q', { 'count/configmaps': '10', configmaps: '20' });
  await setQuota(server, 'r', { configmaps: '15' });
  const before = await revision(server);
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      server.ask('POST /api/v1/namespaces/a/configmaps', { metadata: { name: `c${i}` } }),
    ),
  );
  const made = outcomes.filter(({ code }) => code === 201);
  const refused = outcomes.filter(({ code }) => code === 403);
  assert.deepEqual([made.length, refused.length], [10, 90]);
  assert.match(
    String(refused.at(-1)?.body['message']),
    /^configmaps "c\d+" is forbidden: exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=10, limited: count\/configmaps=10$/,
  );
  assert.deepEqual(await used(server, 'q'), { 'count/configmaps': '10', configmaps: '10' });
  assert.ok((await revision(server)) - before <= 10 + 8, 'writes of quotas are shared');
});

test('a quota that is raised counts at once, one that is gone limits nobody', async () => {
  const server = await start();
  await setQuota(server, 'q', { secrets: '0' });
  const create = async (name: string): Promise<number> =>
    (await server.ask('POST /api/v1/namespaces/a/secrets', { metadata: { name } })).code;
  assert.equal(await create('a'), 403);
  await server.ask(
    'PATCH /api/v1/namespaces/a/resourcequotas/q/status',
    { status: { hard: { secrets: '1' } } },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.deepEqual([await create('a'), await create('b')], [201, 403]);
  await server.ask('DELETE /api/v1/namespaces/a/resourcequotas/q');
  assert.equal(await create('b'), 201);
});
