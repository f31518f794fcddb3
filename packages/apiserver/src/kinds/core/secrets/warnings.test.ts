import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../../../testing/test-server.ts';
import { secretWarnings } from './warnings.ts';

const PATH = '/api/v1/namespaces/default/secrets';

test('a Secret that nobody could serve with is warned of when it is made and when it changes, and stored', async () => {
  const { ask } = await startTestServer();
  const data = { 'tls.crt': btoa('a'), 'tls.key': btoa('b') };
  const told = ['tls: failed to find any PEM data in certificate input'];
  const made = await ask(`POST ${PATH}`, { metadata: { name: 'a' }, type: 'kubernetes.io/tls', data });
  assert.deepEqual([made.code, made.warnings], [201, told]);
  const changed = await ask(`PUT ${PATH}/a`, { ...made.body, metadata: { ...made.body.metadata, labels: { a: 'b' } } });
  assert.deepEqual([changed.code, changed.warnings], [200, told]);
});

test('other Secrets hold what they like', async () => {
  const { ask } = await startTestServer();
  const made = await ask(`POST ${PATH}`, { metadata: { name: 'a' }, data: { 'tls.crt': btoa('a') } });
  assert.deepEqual([made.code, made.warnings], [201, []]);
});

const NO_PEM = 'tls: failed to find any PEM data in certificate input';
for (const [name, secret, warnings] of [
  ['of no type', { data: {} }, []],
  ['of another type', { type: 'Opaque', data: { 'tls.crt': '', 'tls.key': '' } }, []],
  ['for TLS without anything', { type: 'kubernetes.io/tls' }, [NO_PEM]],
  ['for TLS without a key', { type: 'kubernetes.io/tls', data: { 'tls.crt': btoa('x') } }, [NO_PEM]],
  ['for TLS with empty values', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }, [NO_PEM]],
] as const) {
  test(`a Secret ${name}`, () => assert.deepEqual(secretWarnings({ metadata: {}, ...secret } as never), warnings));
}
