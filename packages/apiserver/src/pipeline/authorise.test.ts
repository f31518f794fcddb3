import type { UserInfo } from '@binnacle/machinery';
import { StatusError } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenPolicy } from '../policy-open.ts';
import type { RequestAttributes } from '../ports/authorization.ts';
import { startTestServer } from '../testing/test-server.ts';
import { denied } from '../access/denial.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { requestInfo } from '../request/info.ts';
import type { RequestInfo } from '../request/info.ts';
import { parseQuery } from '../request/query.ts';
import { attributesOf } from './authorise.ts';

const USER: UserInfo = { name: 'u', groups: [] };

// Provenance: apiserver's responsewriters.ForbiddenMessage, v0.36.
const ROWS: readonly [line: string, message: string][] = [
  [
    'GET /api/v1/namespaces/a/pods',
    'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "a"',
  ],
  [
    'GET /api/v1/pods?watch=true',
    'pods is forbidden: User "u" cannot watch resource "pods" in API group "" at the cluster scope',
  ],
  [
    'GET /api/v1/watch/pods',
    'pods is forbidden: User "u" cannot watch resource "pods" in API group "" at the cluster scope',
  ],
  [
    'PATCH /apis/apps/v1/namespaces/a/deployments/d/scale',
    'deployments.apps "d" is forbidden: User "u" cannot patch resource "deployments/scale" in API group "apps" in the namespace "a"',
  ],
  [
    'DELETE /api/v1/namespaces/a/pods',
    'pods is forbidden: User "u" cannot deletecollection resource "pods" in API group "" in the namespace "a"',
  ],
  [
    'GET /api/v1/nodes?fieldSelector=metadata.name%3Dn',
    'nodes "n" is forbidden: User "u" cannot list resource "nodes" in API group "" at the cluster scope',
  ],
  ['GET /metrics', 'forbidden: User "u" cannot get path "/metrics"'],
  [
    'GET /apis/nobody/v1/things',
    'things.nobody is forbidden: User "u" cannot list resource "things" in API group "nobody" at the cluster scope',
  ],
];

for (const [line, message] of ROWS) {
  test(line, async () => {
    const { ask } = await startTestServer({
      user: USER,
      policy: () => ({
        ...createOpenPolicy(),
        authorizer: { authorize: () => ({ decision: 'noOpinion', reason: '' }) },
      }),
    });
    const { code, body } = await ask(line);
    assert.deepEqual([code, body['reason'], body['message']], [403, 'Forbidden', message]);
  });
}

test('a reason of the authorizer follows', () => {
  const attributes: RequestAttributes = {
    user: USER,
    verb: 'get',
    isResource: false,
    path: '/x',
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
  const error = denied(attributes, 'because');
  assert.ok(error instanceof StatusError);
  assert.equal(error.message, 'forbidden: User "u" cannot get path "/x": because');
});

for (const [decision, code] of [
  ['allow', 200],
  ['deny', 403],
] as const) {
  test(`an authorizer that has to ask is waited for: ${decision}`, async () => {
    const { ask } = await startTestServer({
      user: USER,
      policy: () => ({
        ...createOpenPolicy(),
        authorizer: { authorize: () => Promise.resolve({ decision, reason: '' }) },
      }),
    });
    assert.equal((await ask('GET /api/v1/nodes')).code, code);
  });
}

test('who may only read may not open a WebSocket to run commands; logs stay readable', async () => {
  const { ask } = await startTestServer({
    user: USER,
    policy: () => ({
      ...createOpenPolicy(),
      authorizer: { authorize: ({ verb }) => ({ decision: verb === 'get' ? 'allow' : 'noOpinion', reason: '' }) },
    }),
  });
  for (const subresource of ['exec', 'attach', 'portforward']) {
    const { code, body } = await ask(`GET /api/v1/namespaces/a/pods/p/${subresource}?command=ls`);
    assert.equal(code, 403);
    assert.match(JSON.stringify(body), new RegExp(`cannot create resource \\\\"pods/${subresource}\\\\"`));
  }
  assert.equal((await ask('GET /api/v1/namespaces/a/pods/p/log')).code, 404);
});

// Provenance: API reference, "Authorization": selectors narrow what is asked where a verb reaches several objects.
const SELECTIONS: readonly [line: string, selectors: readonly (string | undefined)[]][] = [
  ['GET /api/v1/pods?fieldSelector=a%3Db&labelSelector=c', ['a=b', 'c']],
  ['GET /api/v1/pods?watch=true&labelSelector=c', [undefined, 'c']],
  ['DELETE /api/v1/namespaces/a/pods?fieldSelector=a%3Db', ['a=b', undefined]],
  ['GET /api/v1/namespaces/a/pods/p?fieldSelector=a%3Db', [undefined, undefined]],
  ['GET /api/v1/watch/pods?fieldSelector=a%3Db', [undefined, undefined]],
  ['GET /version?labelSelector=c', [undefined, undefined]],
];

for (const [line, selectors] of SELECTIONS) {
  test(`what ${line} narrows`, () => {
    const [method = '', target = ''] = line.split(' ');
    const [path = '', query = ''] = target.split('?');
    const request: ApiRequest = {
      method,
      path,
      query: parseQuery(query),
      header: () => '',
      credentials: {},
      body: { kind: 'none' },
    };
    const { user, fieldSelector, labelSelector, ...rest } = attributesOf({
      info: requestInfo(request),
      request,
      user: USER,
    });
    assert.deepEqual([fieldSelector, labelSelector], selectors);
    assert.equal(user, USER);
    assert.ok(!('signal' in rest));
  });
}

test('whoever is asked hears that the request is given up', () => {
  const { signal } = new AbortController();
  const request = { query: parseQuery(''), signal } as ApiRequest;
  const info = { verb: 'get', path: '/version' } as RequestInfo;
  assert.equal(attributesOf({ info, request, user: USER }).signal, signal);
});
