import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { PODS, schemas } from '@binnacle/api';
import { StatusError } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import { parseQuery } from '../request/query.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { patchedAs } from './patch.ts';
import type { PatchDocument } from './patch.ts';

const type = (name: string): { readonly 'content-type': string } => ({ 'content-type': `application/${name}` });

const APPLIED: readonly [name: string, media: string, patch: unknown][] = [
  ['JSON patch', 'json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { k: 'v' } }]],
  ['merge patch', 'merge-patch+json', { metadata: { labels: { k: 'v' } } }],
  ['strategic merge patch', 'strategic-merge-patch+json', { metadata: { labels: { k: 'v' } } }],
];

for (const [name, media, patch] of APPLIED) {
  test(name, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${PODS_PATH}`, podNamed('a'));
    const { code, body } = await ask(`PATCH ${PODS_PATH}/a`, JSON.stringify(patch), type(media));
    assert.equal(code, 200, JSON.stringify(body));
    assert.deepEqual(body.metadata.labels, { k: 'v' });
    assert.equal(body.metadata.resourceVersion, '102');
  });
}

test('a strategic patch merges containers by name', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const patch = { spec: { containers: [{ name: 'c', image: 'busybox:2' }] } };
  const { code, body } = await ask(`PATCH ${PODS_PATH}/a`, patch, type('strategic-merge-patch+json'));
  assert.equal(code, 200, JSON.stringify(body));
  const { containers } = body['spec'] as { containers: { image: string; terminationMessagePath: string }[] };
  assert.equal(containers[0]?.image, 'busybox:2');
  assert.equal(containers[0]?.terminationMessagePath, '/dev/termination-log', 'the rest of the container stays');
  assert.equal(body.metadata.generation, 2);
});

for (const [name, media, patch] of APPLIED) {
  test(`owners that a patch does not touch stay as they were: ${name}`, async () => {
    const { ask, parts } = await startTestServer();
    await ask(`POST ${PODS_PATH}?fieldManager=maker`, podNamed('a'));
    const made = parts.foundation.caches.get(PODS, 'default', 'a')?.metadata.managedFields;
    await ask(`PATCH ${PODS_PATH}/a?fieldManager=other`, JSON.stringify(patch), type(media));
    const [maker, other] = parts.foundation.caches.get(PODS, 'default', 'a')?.metadata.managedFields ?? [];
    assert.deepEqual([maker?.manager, other?.manager], ['maker', 'other']);
    assert.equal(maker?.fieldsV1, made?.[0]?.fieldsV1, 'the same thing, kept once');
    assert.deepEqual(other?.fieldsV1, { 'f:metadata': { 'f:labels': { '.': {}, 'f:k': {} } } });
    const reset = await ask(`PATCH ${PODS_PATH}/a`, '{"metadata":{"managedFields":[{}]}}', type('merge-patch+json'));
    assert.equal(reset.body.metadata.managedFields, undefined, 'a patch that touches them is heard');
  });
}

test('a patch of the status leaves the spec alone', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const patch = { spec: { nodeName: 'n' }, status: { phase: 'Running', podIP: '10.0.0.1' } };
  const { body } = await ask(`PATCH ${PODS_PATH}/a/status`, patch, type('strategic-merge-patch+json'));
  assert.equal((body['status'] as { phase: string }).phase, 'Running');
  assert.equal((body['spec'] as { nodeName?: string }).nodeName, undefined);
});

const REFUSED: readonly [name: string, media: string, patch: string, query: string, code: number, message: RegExp][] = [
  ['malformed', 'merge-patch+json', '{"a"', '', 400, /error decoding patch/],
  [
    'another name',
    'merge-patch+json',
    '{"metadata":{"name":"b"}}',
    '',
    400,
    /the name of the object \(b\) does not match the name on the URL \(a\)/,
  ],
  [
    'a stale resourceVersion',
    'merge-patch+json',
    '{"metadata":{"resourceVersion":"1"}}',
    '',
    409,
    /the object has been modified/,
  ],
  [
    'an unknown field, strictly',
    'merge-patch+json',
    '{"spec":{"foo":1}}',
    '?fieldValidation=Strict',
    422,
    /patch: Invalid value: .*: strict decoding error: unknown field "spec\.foo"/,
  ],
  [
    'a field that stands twice, strictly',
    'merge-patch+json',
    '{"metadata":{"labels":{"a":"b","a":"c"}}}',
    '?fieldValidation=Strict',
    422,
    /strict decoding error: duplicate field "metadata\.labels\.a"$/,
  ],
  [
    'a field that stands twice in a strategic patch, strictly, beside an unknown one',
    'strategic-merge-patch+json',
    '{"metadata":{"labels":{"a":"b"}},"spec":{"foo":1},"metadata":{"labels":{"a":"c"}}}',
    '?fieldValidation=Strict',
    422,
    /strict decoding error: duplicate field "metadata", unknown field "spec\.foo"$/,
  ],
  [
    'members of an operation that say nothing, strictly',
    'json-patch+json',
    '[{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"},"valu":1,"op":"add"}]',
    '?fieldValidation=Strict',
    422,
    /json patch duplicate field "\[0\]\.value\.a", json patch duplicate field "\[0\]\.op", json patch unknown field "\[0\]\.valu"$/,
  ],
  [
    'operations that are no list',
    'json-patch+json',
    '{}',
    '',
    400,
    /^error decoding patch: json: cannot unmarshal object into Go value of type \[\]handlers\.jsonPatchOp$/,
  ],
  [
    'operations that are no list, where nobody wants to hear of what says nothing',
    'json-patch+json',
    '{}',
    '?fieldValidation=Ignore',
    400,
    /^json: cannot unmarshal object into Go value of type jsonpatch\.Patch$/,
  ],
  [
    'a wrong type',
    'merge-patch+json',
    '{"spec":{"containers":1}}',
    '',
    422,
    /patch: Invalid value: .*: json: cannot unmarshal number/,
  ],
  [
    'a number that is no integer as it is written',
    'merge-patch+json',
    '{"spec":{"activeDeadlineSeconds":60.0}}',
    '',
    422,
    /^ "" is invalid: patch: Invalid value: ".*60\.0.*": json: cannot unmarshal number 60\.0 into Go struct field PodSpec\.spec\.activeDeadlineSeconds of type int64$/,
  ],
  [
    'the same in operations',
    'json-patch+json',
    '[{"op":"add","path":"/spec/activeDeadlineSeconds","value":6e1}]',
    '',
    422,
    /: json: cannot unmarshal number 6e1 into Go struct field PodSpec\.spec\.activeDeadlineSeconds of type int64$/,
  ],
  [
    'a test for a number that is written in another way',
    'json-patch+json',
    '[{"op":"test","path":"/spec/terminationGracePeriodSeconds","value":30.0}]',
    '',
    422,
    /^the server rejected our request due to an error in our request$/,
  ],
];

test('a strategic patch takes a whole number however it is written', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const patch = '{"spec":{"activeDeadlineSeconds":6.0e1}}';
  const { code, body } = await ask(`PATCH ${PODS_PATH}/a`, patch, type('strategic-merge-patch+json'));
  assert.deepEqual([code, (body['spec'] as { [name: string]: unknown })['activeDeadlineSeconds']], [200, 60]);
});

for (const [name, media, patch, query, code, message] of REFUSED) {
  test(`refused and nothing stored: ${name}`, async () => {
    const { ask, store } = await startTestServer();
    await ask(`POST ${PODS_PATH}`, podNamed('a'));
    const before = store.revision;
    const reply = await ask(`PATCH ${PODS_PATH}/a${query}`, patch, type(media));
    assert.equal(reply.code, code, JSON.stringify(reply.body));
    assert.match(String(reply.body['message']), message);
    assert.equal(store.revision, before);
  });
}

const KIND_CHANGES: readonly [name: string, media: string, patch: unknown, code: number][] = [
  [
    'a strategic patch cannot say another kind',
    'strategic-merge-patch+json',
    { kind: 'Secret', apiVersion: 'v2' },
    200,
  ],
  ['a merge patch without kind', 'merge-patch+json', { kind: null, apiVersion: null }, 200],
  ['a merge patch to another kind', 'merge-patch+json', { kind: 'Secret' }, 422],
  ['a merge patch to another version', 'merge-patch+json', { apiVersion: 'v2' }, 422],
  ['a JSON patch to another kind', 'json-patch+json', [{ op: 'replace', path: '/kind', value: 'Secret' }], 422],
];

for (const [name, media, patch, wanted] of KIND_CHANGES) {
  test(`the kind stays: ${name}`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${PODS_PATH}`, podNamed('a'));
    const { code, body } = await ask(`PATCH ${PODS_PATH}/a?dryRun=All`, JSON.stringify(patch), type(media));
    assert.equal(code, wanted, JSON.stringify(body));
    if (code === 200) assert.deepEqual([body['kind'], body['apiVersion']], ['Pod', 'v1']);
    await ask(`PATCH ${PODS_PATH}/a`, JSON.stringify(patch), type(media));
    await ask(`PATCH ${PODS_PATH}/a`, '{"metadata":{"labels":{"k":"v"}}}', type('merge-patch+json'));
    const { body: left } = await ask(`GET ${PODS_PATH}/a`);
    assert.deepEqual([left['kind'], left['apiVersion'], left.metadata.labels], ['Pod', 'v1', { k: 'v' }]);
  });
}

const WARNED: readonly [media: string, patch: string, query: string, warnings: readonly string[]][] = [
  ['merge-patch+json', '{"metadata":{"labels":{"a":"b","a":"c"}}}', '', ['duplicate field "metadata.labels.a"']],
  ['merge-patch+json', '{"metadata":{"labels":{"a":"b","a":"c"}}}', '?fieldValidation=Ignore', []],
  [
    'json-patch+json',
    '[{"op":"add","path":"/metadata/labels","value":{"a":"c"},"op":"add"}]',
    '',
    ['json patch duplicate field "[0].op"'],
  ],
];

for (const [media, patch, query, wanted] of WARNED) {
  test(`a ${media} with a field that stands twice${query}: the last one counts`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${PODS_PATH}`, podNamed('a'));
    const { code, body, warnings } = await ask(`PATCH ${PODS_PATH}/a${query}`, patch, type(media));
    assert.deepEqual([code, body.metadata.labels, warnings], [200, { a: 'c' }, wanted]);
  });
}

describe('what a patch makes of a document', () => {
  // In the order of the names, as refusals show what was patched.
  const target = { data: { k: 'v' }, metadata: { name: 'm', labels: { a: 'b' } } };
  const of = { target, schemas, schema: 'core.v1.ConfigMap' };

  function outcome(patching: PatchDocument, mode: string): readonly [made: unknown, warnings: readonly string[]] {
    const warnings: string[] = [];
    const query = parseQuery(mode === '' ? '' : `fieldValidation=${mode}`);
    const call = { query, warn: (text: string) => void warnings.push(text) } as unknown as Call;
    try {
      const { metadata, data } = patchedAs<typeof target>(call, patching, of);
      return [{ metadata, data }, warnings];
    } catch (error) {
      if (error instanceof StatusError) return [`${error.status.code} ${error.message}`, warnings];
      throw error;
    }
  }

  const merge = (document: unknown, problems?: readonly string[]): PatchDocument => ({
    kind: 'merge',
    document,
    ...(problems === undefined ? {} : { problems }),
  });
  const json = (document: unknown): PatchDocument => ({ kind: 'json', document });
  const invalid = (value: unknown, why: string): string =>
    `422  "" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify(value))}: ${why}`;
  // As upstream shows what was patched: its members by name.
  const unknown = { data: target.data, metadata: target.metadata, spec: {} };
  type Row = readonly [
    name: string,
    patching: PatchDocument,
    mode: string,
    made: unknown,
    warnings?: readonly string[],
  ];
  const rows: readonly Row[] = [
    ['a merge', merge({ data: { k: null, l: 'w' } }), '', { ...target, data: { l: 'w' } }],
    [
      'by operations',
      json([{ op: 'remove', path: '/metadata/labels' }]),
      '',
      { metadata: { name: 'm' }, data: { k: 'v' } },
    ],
    ['by strategy', { kind: 'strategic', document: { data: { l: 'w' } } }, '', { ...target, data: { k: 'v', l: 'w' } }],
    ['what nobody knows, with a warning', merge({ spec: {} }), '', target, ['unknown field "spec"']],
    ['what nobody knows, without a word', merge({ spec: {} }), 'Ignore', target],
    [
      'what nobody knows, strictly',
      merge({ spec: {} }),
      'Strict',
      invalid(unknown, 'strict decoding error: unknown field "spec"'),
    ],
    [
      'what its text had wrong goes first',
      merge({ spec: {} }, ['duplicate field "data.k"']),
      'Strict',
      invalid(unknown, 'strict decoding error: duplicate field "data.k", unknown field "spec"'),
    ],
    [
      'what its text had wrong, with a warning',
      merge({ spec: {} }, ['duplicate field "data.k"']),
      'Warn',
      target,
      ['duplicate field "data.k"', 'unknown field "spec"'],
    ],
    [
      'a wrong type',
      merge({ data: 7 }),
      '',
      invalid(
        { data: 7, metadata: target.metadata },
        'json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
      ),
    ],
    [
      'a key that objects inherit',
      merge({ data: { constructor: 'x' } }),
      'Strict',
      { ...target, data: { k: 'v', constructor: 'x' } },
    ],
  ];
  for (const [name, patching, mode, made, warnings = []] of rows) {
    test(name, () => assert.deepEqual(outcome(patching, mode), [made, warnings]));
  }

  test('what is patched stays as it was', () => {
    outcome(merge({ data: { k: 'w' }, metadata: { labels: { a: 'c' } } }), '');
    assert.deepEqual(target, { metadata: { name: 'm', labels: { a: 'b' } }, data: { k: 'v' } });
  });
});

test('of a strategic patch that makes no object the patch is shown, not the whole object', async () => {
  const { ask } = await startTestServer();
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  assert.equal((await ask('POST /api/v1/namespaces/default/pods', pod)).code, 201);
  const send = (patch: object, type: string, query = '') =>
    ask(`PATCH /api/v1/namespaces/default/pods/p${query}`, patch, { 'content-type': `application/${type}+json` });
  const spec = { activeDeadlineSeconds: 'x' };
  const wrong = await send({ spec }, 'strategic-merge-patch');
  const shown = 'map[spec:map[activeDeadlineSeconds:x]]';
  assert.deepEqual(
    [wrong.code, wrong.body['message']],
    [422, ` "" is invalid: patch: Invalid value: "${shown}": unrecognized type: int64`],
  );
  const strict = await send({ spec: { foo: 1 } }, 'strategic-merge-patch', '?fieldValidation=Strict');
  const why = 'strict decoding error: unknown field "spec.foo"';
  assert.equal(strict.body['message'], ` "" is invalid: patch: Invalid value: "map[spec:map[foo:1]]": ${why}`);
  assert.match(String((await send({ spec }, 'merge-patch')).body['message']), /\\"image\\":\\"i\\"/);
});

const FIXED: readonly (readonly [part: string, value: unknown])[] = [
  ['uid', 'another'],
  ['deletionTimestamp', '2020-01-01T00:00:00Z'],
  ['deletionGracePeriodSeconds', 4],
];
for (const [part, value] of FIXED) {
  test(`no patch and no apply changes metadata.${part}, and none has to say it`, async () => {
    const { ask } = await startTestServer();
    const path = '/api/v1/namespaces/default/configmaps';
    const { body } = await ask(`POST ${path}`, { metadata: { name: 'm' } });
    const whole = (metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ...metadata } });
    const send = async (metadata: object, type: string): Promise<unknown> => {
      const reply = await ask(`PATCH ${path}/m?fieldManager=x`, whole(metadata), { 'content-type': type });
      return [reply.code, reply.body['message']];
    };
    const why = `ConfigMap "m" is invalid: metadata.${part}: Invalid value: ${JSON.stringify(value)}: field is immutable`;
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
      assert.deepEqual(await send({ [part]: value }, `application/${type}`), [422, why]);
      assert.deepEqual(await send({ uid: body.metadata.uid }, `application/${type}`), [200, undefined]);
      assert.deepEqual(await send({ [part]: null }, `application/${type}`), [200, undefined]);
    }
  });
}
