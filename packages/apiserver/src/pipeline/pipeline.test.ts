import { status } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenPolicy } from '../policy-open.ts';
import type { Policy } from '../policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { parseQuery } from '../request/query.ts';

const ROUTES: readonly [line: string, code: number, what: RegExp][] = [
  ['GET /api/v1/nonsense', 404, /the server could not find the requested resource/],
  ['GET /apis/nobody/v1/things', 404, /^404 page not found\n$/],
  ['GET /nowhere', 404, /^404 page not found\n$/],
  ['POST /version', 405, /does not allow this method/],
  ['PUT /api/v1/namespaces/default/pods', 405, /does not allow this method/],
  ['POST /api/v1/namespaces/default/pods/a', 405, /does not allow this method/],
  ['DELETE /api/v1/namespaces', 405, /does not allow this method/],
  ['DELETE /api/v1/pods', 405, /does not allow this method/],
  ['GET /api/v1/pods/a', 404, /the server could not find the requested resource/],
  ['GET /api/v1/namespaces/default/nodes', 404, /the server could not find the requested resource/],
  ['GET /api/v1/pods?timeout=invalid', 400, /invalid timeout specified in the request URL - time: invalid duration/],
  ['OPTIONS /api/v1/pods', 405, /does not allow this method/],
];

for (const [line, code, what] of ROUTES) {
  test(`${line} is ${code}`, async () => {
    const { ask } = await startTestServer();
    const reply = await ask(line);
    assert.equal(reply.code, code);
    assert.match(String(reply.body['message'] ?? reply.body['text']), what);
  });
}

async function asStranger(policy: Partial<Policy>, headers: readonly (readonly [name: string, value: string])[] = []) {
  const { server } = await startTestServer({ policy: () => ({ ...createOpenPolicy(), ...policy }) });
  return server.handle({
    method: 'GET',
    path: '/api/v1/pods',
    query: parseQuery(''),
    header: (name) => headers.find((line) => line[0] === name)?.[1] ?? '',
    headerLines: () => headers,
    credentials: { bearerToken: 't' },
    body: { kind: 'none' },
  });
}

test('who asks is found out by policy; bad credentials are 401', async () => {
  const refusing = await asStranger({
    authenticate: () => {
      throw status.unauthorized();
    },
  });
  assert.deepEqual([refusing.reply.kind, 'code' in refusing.reply && refusing.reply.code], ['object', 401]);
  const waiting = await asStranger({ authenticate: () => Promise.resolve({ name: 'late', groups: [] }) });
  assert.equal(waiting.exchange.user.name, 'late');
});

function impersonator(asked: string[]): Partial<Policy> {
  return {
    authenticate: () => ({ name: 'boss', groups: [] }),
    authorizer: {
      authorize({ user, verb, group, resource, subresource, namespace, name }) {
        const what = subresource === '' ? resource : `${resource}/${subresource}`;
        asked.push(`${user.name} ${verb} ${group === '' ? what : `${what} (${group})`} ${namespace}/${name}`);
        return { decision: name === 'forbidden' ? 'deny' : 'allow', reason: '' };
      },
    },
  };
}

test('impersonation: as somebody else, when the caller may be all of that', async () => {
  const asked: string[] = [];
  const may = await asStranger(impersonator(asked), [
    ['impersonate-user', 'jane'],
    ['impersonate-group', 'devs, with a comma'],
    ['impersonate-group', 'ops'],
    ['impersonate-uid', '06f6'],
    ['impersonate-extra-acme%2fscope', 'view'],
    ['impersonate-extra-acme%2fscope', 'edit'],
  ]);
  assert.deepEqual(may.exchange.user, {
    name: 'jane',
    groups: ['devs, with a comma', 'ops', 'system:authenticated'],
    uid: '06f6',
    extra: { 'acme/scope': ['view', 'edit'] },
  });
  assert.deepEqual(asked, [
    'boss impersonate users /jane',
    'boss impersonate groups /devs, with a comma',
    'boss impersonate groups /ops',
    'boss impersonate userextras/acme/scope (authentication.k8s.io) /view',
    'boss impersonate userextras/acme/scope (authentication.k8s.io) /edit',
    'boss impersonate uids (authentication.k8s.io) /06f6',
    'jane list pods /',
  ]);
});

const REFUSED: readonly (readonly [name: string, headers: readonly (readonly [string, string])[], code: number])[] = [
  ['a user', [['impersonate-user', 'forbidden']], 403],
  [
    'a group',
    [
      ['impersonate-user', 'jane'],
      ['impersonate-group', 'forbidden'],
    ],
    403,
  ],
  [
    'a uid',
    [
      ['impersonate-user', 'jane'],
      ['impersonate-uid', 'forbidden'],
    ],
    403,
  ],
  [
    'a value of extra',
    [
      ['impersonate-user', 'jane'],
      ['impersonate-extra-x', 'forbidden'],
    ],
    403,
  ],
  ['a group without a user', [['impersonate-group', 'system:masters']], 400],
  ['a uid without a user', [['impersonate-uid', '1']], 400],
];

for (const [name, headers, code] of REFUSED) {
  test(`impersonation that is refused: ${name}`, async () => {
    const { reply } = await asStranger(impersonator([]), headers);
    assert.ok('code' in reply && reply.code === code);
  });
}

const GROUPS: readonly (readonly [user: string, asked: readonly string[], groups: readonly string[]])[] = [
  ['system:serviceaccount:ns:sa', [], ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated']],
  ['system:serviceaccount:ns:sa', ['g'], ['g', 'system:authenticated']],
  ['system:serviceaccount:ns', [], ['system:authenticated']],
  ['system:serviceaccount:NS:sa', [], ['system:authenticated']],
  ['system:serviceaccount:ns:sa:x', [], ['system:authenticated']],
  ['system:anonymous', [], ['system:unauthenticated']],
  ['jane', ['system:unauthenticated'], ['system:unauthenticated']],
  ['jane', ['system:authenticated'], ['system:authenticated']],
];

for (const [user, asked, groups] of GROUPS) {
  test(`groups of an impersonated ${user} with [${asked.join(' ')}]`, async () => {
    const headers = [['impersonate-user', user], ...asked.map((group) => ['impersonate-group', group])];
    const { exchange } = await asStranger(impersonator([]), headers as [string, string][]);
    assert.deepEqual(exchange.user.groups, groups);
  });
}

test('a body that does not come takes no place', async () => {
  const { server } = await startTestServer({});
  const never = Array.from({ length: 500 }, () =>
    server.handle({
      method: 'POST',
      path: PODS_PATH,
      query: parseQuery(''),
      header: () => '',
      credentials: {},
      body: { kind: 'bytes', read: () => new Promise(() => undefined) },
    }),
  );
  const whole = await server.handle({
    method: 'POST',
    path: PODS_PATH,
    query: parseQuery(''),
    header: () => '',
    credentials: {},
    body: { kind: 'bytes', read: () => Promise.resolve(new TextEncoder().encode(JSON.stringify(podNamed('a')))) },
  });
  assert.ok('code' in whole.reply && whole.reply.code === 201);
  assert.equal(never.length, 500);
});
