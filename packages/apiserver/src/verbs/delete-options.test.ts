import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_HEADERS = { 'content-type': 'application/json' };

/** One field of the wire format (protobuf.dev, encoding): its number, and text of less than 128 bytes. */
const field = (number: number, text: string): string => String.fromCharCode(number * 8 + 2, text.length) + text;
/** What client-go sends: the magic number, the type, and the options, whose field 4 is the policy. */
const protobuf = (apiVersion: string): string =>
  `k8s\0${field(1, field(1, apiVersion) + field(2, 'DeleteOptions'))}${field(2, field(4, 'Orphan'))}`;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const BODIES: readonly [name: string, body: string, type?: string][] = [
  ['protobuf of the core', protobuf('v1'), PROTOBUF],
  ['protobuf of another group', protobuf('apps/v1'), PROTOBUF],
  ['protobuf of its own group', protobuf('meta.k8s.io/v1'), PROTOBUF],
  [
    'YAML of another group',
    'apiVersion: policy/v1\nkind: DeleteOptions\npropagationPolicy: Orphan\n',
    'application/yaml',
  ],
  ['no body', ''],
  ['core version', '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"}'],
  ['the version of another group', '{"kind":"DeleteOptions","apiVersion":"apps/v1","propagationPolicy":"Orphan"}'],
  ['no kind at all', '{"propagationPolicy":"Orphan"}'],
];

for (const [name, body, type = 'application/json'] of BODIES) {
  test(`a body counts before the query: ${name}`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
    const { code } = await ask(`DELETE ${SECRETS}/a?propagationPolicy=Foreground`, body, { 'content-type': type });
    assert.equal(code, 200);
    const { body: left } = await ask(`GET ${SECRETS}/a`);
    assert.deepEqual(left.metadata.finalizers, [body === '' ? 'foregroundDeletion' : 'orphan']);
  });
}

test('a version that nothing is served in is refused', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
  const { code } = await ask(`DELETE ${SECRETS}/a`, protobuf('example.com/v1'), { 'content-type': PROTOBUF });
  assert.equal(code, 400);
});

test('a body that is no DeleteOptions is refused, and nothing deleted', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
  const { code } = await ask(`DELETE ${SECRETS}/a`, '{"kind":"Pod","apiVersion":"v1"}', JSON_HEADERS);
  assert.equal(code, 400);
  assert.equal((await ask(`GET ${SECRETS}/a`)).code, 200);
});

const UNSAFE = 'ignoreStoreReadErrorWithClusterBreakingPotential';
for (const beside of ['', 'gracePeriodSeconds=0', 'propagationPolicy=Orphan', 'orphanDependents=false', 'dryRun=All']) {
  test(`what is to be deleted unread is passed over, beside ${beside || 'nothing'}`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
    assert.equal((await ask(`DELETE ${SECRETS}/a?${UNSAFE}=true&${beside}`)).code, 200);
  });
}

test('so it is beside a precondition, which counts', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${SECRETS}`, { metadata: { name: 'a' } });
  const options = `{"${UNSAFE}":true,"preconditions":{"uid":"x"}}`;
  const { code } = await ask(`DELETE ${SECRETS}/a`, options, JSON_HEADERS);
  assert.equal(code, 409);
});
