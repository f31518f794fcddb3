import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { parseQuery } from '../request/query.ts';
import { startTestServer } from '../testing/test-server.ts';
import { checkWriteOptions, writeOptions } from './write-options.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_HEADERS = { 'content-type': 'application/json' };

const REFUSED: readonly [name: string, call: string, body: string, message: string][] = [
  [
    'an empty dry run',
    `POST ${MAPS}?dryRun=`,
    '{"metadata":{"name":"b"}}',
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"',
  ],
  [
    'a field validation that is none',
    `PUT ${MAPS}/a?fieldValidation=Foo`,
    '{"metadata":{"name":"a"},"data":{"k":"v"}}',
    'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"',
  ],
  [
    'a manager of 129 bytes',
    `POST ${MAPS}?fieldManager=${'x'.repeat(129)}`,
    '{"metadata":{"name":"b"}}',
    'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
  ],
  [
    'a manager that cannot be printed',
    `PATCH ${MAPS}/a?fieldManager=%01`,
    '{"data":{"k":"v"}}',
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "\\u0001": invalid character U+0001 (at position 0)',
  ],
  [
    'force without apply',
    `PATCH ${MAPS}/a?force=true`,
    '{"data":{"k":"v"}}',
    'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ],
  [
    'a dry run that is none, in the body of a delete',
    `DELETE ${MAPS}/a`,
    '{"dryRun":["x"]}',
    'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
  ],
  [
    'a propagation that is none',
    `DELETE ${MAPS}/a?propagationPolicy=Foo`,
    '',
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
];

for (const [name, call, body, message] of REFUSED) {
  test(`422, and nothing stored: ${name}`, async () => {
    const { ask } = await startTestServer();
    const { body: made } = await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
    const refused = await ask(call, body, call.startsWith('PATCH') ? MERGE : JSON_HEADERS);
    assert.equal(refused.code, 422, JSON.stringify(refused.body));
    assert.equal(refused.body['message'], message);
    const { body: left } = await ask(`GET ${MAPS}`);
    const items = left['items'] as { metadata: { name: string; resourceVersion: string } }[];
    assert.deepEqual(
      items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
      [['a', made.metadata.resourceVersion]],
    );
  });
}

test('an apply may force', async () => {
  const { ask } = await startTestServer();
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  const { code } = await ask(`PATCH ${MAPS}/a?force=true&fieldManager=kubectl`, body, headers);
  assert.equal(code, 201);
});

const APPLY = 'application/apply-patch+yaml';

describe('the options of a write', () => {
  const unsupported = (value: string): string => `dryRun: Unsupported value: ${value}: supported values: "All"`;
  const invalid = (kind: string, why: string): string => `422 ${kind}.meta.k8s.io "" is invalid: ${why}`;
  const force = 'force: Forbidden: may not be specified for non-apply patch';
  const nobody = 'fieldManager: Required value: is required for apply patch';
  // What is answered: whether nothing shall be stored, or the refusal.
  const rows: readonly (readonly [asked: string, type: string, wanted: boolean | string])[] = [
    ['create', '', false],
    ['create ?dryRun=All', '', true],
    ['create ?dryRun=All&dryRun=All', '', true],
    ['create ?dryRun=all', '', invalid('CreateOptions', unsupported('["all"]'))],
    ['update ?dryRun=All&dryRun=x', '', invalid('UpdateOptions', unsupported('["All","x"]'))],
    ['update ?force=true', '', false],
    ['patch ?force=false', 'application/merge-patch+json', invalid('PatchOptions', force)],
    ['patch ?force=true&fieldManager=me', APPLY, false],
    ['patch', APPLY, invalid('PatchOptions', nobody)],
    ['patch ?fieldManager=', APPLY, invalid('PatchOptions', nobody)],
    ['patch ?fieldManager=me', 'application/apply-patch+yaml; charset=utf-8', false],
    [
      'create ?fieldValidation=strict',
      '',
      invalid(
        'CreateOptions',
        'fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
      ),
    ],
    ['create ?fieldValidation=', '', false],
    [`create ?fieldManager=${'ü'.repeat(64)}`, '', false],
    [
      `create ?fieldManager=${'ü'.repeat(65)}`,
      '',
      invalid('CreateOptions', 'fieldManager: Too long: may not be more than 128 bytes'),
    ],
    [
      'create ?fieldManager=%C3%BCa%0A%E2%80%8B',
      '',
      invalid(
        'CreateOptions',
        '[fieldManager: Invalid value: "üa\\n\u200b": invalid character U+000A (at position 3), ' +
          'fieldManager: Invalid value: "üa\\n\u200b": invalid character U+200B (at position 4)]',
      ),
    ],
    ['patch ?force=true&dryRun=no', '', invalid('PatchOptions', `[${force}, ${unsupported('["no"]')}]`)],
    ['delete ?dryRun=All', '', true],
    ['delete ?dryRun=no', '', false],
    ['get ?force=true', '', false],
  ];
  for (const [asked, type, wanted] of rows) {
    test(`${asked} ${type}`, () => {
      const [verb = '', query = ''] = asked.split(' ?');
      const outcome = (): boolean | string => {
        try {
          return checkWriteOptions(verb, parseQuery(query), type);
        } catch (error) {
          if (error instanceof StatusError) return `${error.status.code} ${error.message}`;
          throw error;
        }
      };
      assert.equal(outcome(), wanted);
    });
  }

  test('a manager of nothing but what nobody prints has a bounded answer', () => {
    const query = parseQuery(`fieldManager=${'%01'.repeat(20_000)}`);
    assert.throws(
      () => checkWriteOptions('create', query, ''),
      (error) => error instanceof StatusError && (error.status.details?.causes?.length ?? 0) <= 130,
    );
  });
});

describe('the options of a write as an object', () => {
  const rows: readonly (readonly [verb: string, query: string, said: object])[] = [
    ['create', '', { kind: 'CreateOptions' }],
    [
      'update',
      'fieldManager=me&fieldValidation=Strict',
      { kind: 'UpdateOptions', fieldManager: 'me', fieldValidation: 'Strict' },
    ],
    ['patch', 'force=true&dryRun=All', { kind: 'PatchOptions', force: true, dryRun: ['All'] }],
    ['patch', 'force=0&dryRun=All&dryRun=All', { kind: 'PatchOptions', force: false, dryRun: ['All', 'All'] }],
    ['constructor', 'constructor=x&pretty=true', { kind: 'CreateOptions' }],
  ];
  for (const [verb, query, said] of rows) {
    test(`${verb} ?${query}`, () => {
      assert.deepEqual(writeOptions(verb, parseQuery(query)), { apiVersion: 'meta.k8s.io/v1', metadata: {}, ...said });
    });
  }
});
