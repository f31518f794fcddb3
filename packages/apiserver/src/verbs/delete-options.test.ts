import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_HEADERS = { 'content-type': 'application/json' };

const BODIES: readonly [name: string, body: string][] = [
  ['no body', ''],
  ['core version', '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"}'],
  ['the version of another group', '{"kind":"DeleteOptions","apiVersion":"apps/v1","propagationPolicy":"Orphan"}'],
  ['no kind at all', '{"propagationPolicy":"Orphan"}'],
];

for (const [name, body] of BODIES) {
  test(`a body counts before the query: ${name}`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
    const { code } = await ask(`DELETE ${SECRETS}/a?propagationPolicy=Foreground`, body, JSON_HEADERS);
    assert.equal(code, 200);
    const { body: left } = await ask(`GET ${SECRETS}/a`);
    assert.deepEqual(left.metadata.finalizers, [body === '' ? 'foregroundDeletion' : 'orphan']);
  });
}

test('a body that is no DeleteOptions is refused, and nothing deleted', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
  const { code } = await ask(`DELETE ${SECRETS}/a`, '{"kind":"Pod","apiVersion":"v1"}', JSON_HEADERS);
  assert.equal(code, 400);
  assert.equal((await ask(`GET ${SECRETS}/a`)).code, 200);
});
