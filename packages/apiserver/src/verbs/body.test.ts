import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_HEADERS = { 'content-type': 'application/json' };

const REFUSED: readonly [name: string, body: string, query: string, type: string, code: number, message: string][] = [
  [
    'malformed',
    '{"kind"',
    '',
    'application/json',
    400,
    `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"kind")`,
  ],
  [
    'empty',
    '',
    '',
    'application/json',
    400,
    "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
  ],
  [
    'another kind',
    '{"kind":"Secret","apiVersion":"v1"}',
    '',
    'application/json',
    400,
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ],
  [
    'another version',
    '{"kind":"ConfigMap","apiVersion":"apps/v1"}',
    '',
    'application/json',
    400,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    'an unknown field, strictly',
    '{"metadata":{"name":"a"},"dat":{}}',
    '?fieldValidation=Strict',
    'application/json',
    400,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
  ],
  [
    'a repeated field, strictly',
    '{"metadata":{"name":"a"},"data":{},"data":{}}',
    '?fieldValidation=Strict',
    'application/json',
    400,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data"',
  ],
  [
    'a media type that is not served',
    'x',
    '',
    'text/plain',
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
];

for (const [name, body, query, type, code, message] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const { ask, store } = await startTestServer();
    const before = store.revision;
    const reply = await ask(`POST ${MAPS}${query}`, body, { 'content-type': type });
    assert.deepEqual([reply.code, reply.body['message']], [code, message]);
    assert.equal(store.revision, before);
  });
}

test('a value of the wrong type names the field as Go does', async () => {
  const { ask } = await startTestServer();
  const { code, body } = await ask(`POST ${MAPS}`, '{"metadata":{"name":"a"},"data":{"k":1}}', JSON_HEADERS);
  assert.equal(code, 400);
  assert.match(
    String(body['message']),
    /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go/,
  );
});

test('1.0 is no integer in JSON, and is one in YAML, which is read before it has a type', async () => {
  const { ask } = await startTestServer();
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (seconds: string): string =>
    `{"metadata":{"name":"a"},"spec":{"activeDeadlineSeconds":${seconds},"containers":[{"name":"a","image":"a:1.0"}]}}`;
  const refused = await ask(`POST ${pods}`, pod('60.0'), JSON_HEADERS);
  assert.deepEqual(
    [refused.code, refused.body['message']],
    [
      400,
      'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number 60.0 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
    ],
  );
  const { code, body } = await ask(`POST ${pods}`, pod('60.0'), { 'content-type': 'application/yaml' });
  assert.deepEqual([code, (body['spec'] as { [name: string]: unknown })['activeDeadlineSeconds']], [201, 60]);
});

test('unknown fields warn by default, and are dropped in silence when ignored', async () => {
  const { ask } = await startTestServer();
  const warned = await ask(`POST ${MAPS}`, '{"metadata":{"name":"a"},"dat":{}}', JSON_HEADERS);
  assert.deepEqual([warned.code, warned.warnings], [201, ['unknown field "dat"']]);
  const ignored = await ask(`POST ${MAPS}?fieldValidation=Ignore`, '{"metadata":{"name":"b"},"dat":{}}', JSON_HEADERS);
  assert.deepEqual([ignored.code, ignored.warnings], [201, []]);
});

test('YAML bodies', async () => {
  const { ask } = await startTestServer();
  const yaml = 'metadata:\n  name: a\ndata:\n  k: v\n';
  const { code, body } = await ask(`POST ${MAPS}`, yaml, { 'content-type': 'application/yaml' });
  assert.equal(code, 201);
  assert.deepEqual(body['data'], { k: 'v' });
});

test('YAML bodies are YAML 1.1, and tell repeated keys with their line', async () => {
  const { ask } = await startTestServer();
  const type = { 'content-type': 'application/yaml' };
  const yaml = (name: string): string => `metadata:\n  name: ${name}\nimmutable: off\ndata:\n  k: v\n  k: w\nfoo: 1\n`;
  const repeated = 'line 6: key "k" already set in map';
  const warned = await ask(`POST ${MAPS}`, yaml('a'), type);
  assert.deepEqual([warned.code, warned.warnings], [201, [repeated, 'unknown field "foo"']]);
  assert.deepEqual([warned.body['immutable'], warned.body['data']], [false, { k: 'w' }]);
  const ignored = await ask(`POST ${MAPS}?fieldValidation=Ignore`, yaml('b'), type);
  assert.deepEqual([ignored.code, ignored.warnings], [201, []]);
  const strict = await ask(`POST ${MAPS}?fieldValidation=Strict`, yaml('c'), type);
  assert.equal(strict.code, 400);
  assert.equal(
    strict.body['message'],
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  ${repeated}, unknown field "foo"`,
  );
});

test('YAML bodies whose aliases multiply are refused at once', async () => {
  const { ask } = await startTestServer();
  const levels = Array.from(
    { length: 9 },
    (_, i) => `a${i}: &a${i} [${`${i === 0 ? 'lol' : `*a${i - 1}`},`.repeat(9)}]`,
  );
  const { code, body } = await ask(`POST ${MAPS}`, levels.join('\n'), { 'content-type': 'application/yaml' });
  assert.equal(code, 400);
  assert.match(String(body['message']), /error converting YAML to JSON: yaml: document contains excessive aliasing/);
});
