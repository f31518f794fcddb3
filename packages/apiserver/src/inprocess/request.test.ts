import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiCall } from '@binnacle/machinery';
import { requestOfCall, requestOfRaw, requestOfWatch } from './request.ts';

const USER = { name: 'u', groups: [] };
const PODS = { group: '', version: 'v1', resource: 'pods' };
const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };

const ROWS: readonly [call: ApiCall, line: string, type: string][] = [
  [{ verb: 'list', resource: PODS }, 'GET /api/v1/pods', ''],
  [{ verb: 'get', resource: PODS, namespace: 'a', name: 'p' }, 'GET /api/v1/namespaces/a/pods/p', ''],
  [
    { verb: 'create', resource: PODS, namespace: 'a', name: 'p', subresource: 'binding', body: {} },
    'POST /api/v1/namespaces/a/pods/p/binding',
    '',
  ],
  [
    { verb: 'patch', resource: PODS, namespace: 'a', name: 'p', patch: 'strategic', body: {} },
    'PATCH /api/v1/namespaces/a/pods/p',
    'application/strategic-merge-patch+json',
  ],
  [{ verb: 'deletecollection', resource: PODS, namespace: 'a' }, 'DELETE /api/v1/namespaces/a/pods', ''],
  [
    { verb: 'update', resource: ROLES, name: 'system:node' },
    'PUT /apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
    '',
  ],
];

for (const [call, line, type] of ROWS) {
  test(line, () => {
    const request = requestOfCall(call, USER);
    assert.equal(`${request.method} ${request.path}`, line);
    assert.equal(request.header('content-type'), type);
    assert.equal(request.user, USER);
    assert.equal(request.body.kind, call.body === undefined ? 'none' : 'value');
  });
}

test('a watch says so, and keeps the other parameters', () => {
  const { query } = requestOfWatch({ resource: PODS, query: { labelSelector: 'a=b' } }, USER);
  assert.deepEqual(query.entries(), [
    ['labelSelector', 'a=b'],
    ['watch', 'true'],
  ]);
});

test('a path with its query, and the cause that goes along', () => {
  const cause = { id: 'c', component: 'x', request: 'y' };
  const request = requestOfRaw({ path: '/readyz?verbose&exclude=a', cause }, USER);
  assert.deepEqual([request.path, request.query.has('verbose'), request.query.get('exclude')], ['/readyz', true, 'a']);
  assert.equal(request.cause, cause);
});
