import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

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
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "\\u0001": should only contain printable characters',
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
