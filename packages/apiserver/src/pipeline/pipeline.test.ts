import { status } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { asStranger } from '../testing/as-stranger.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { parseQuery } from '../request/query.ts';

const ROUTES: readonly [line: string, code: number, what: RegExp][] = [
  ['GET /api/v1/nonsense', 404, /the server could not find the requested resource/],
  ['GET /apis/apps/v9', 404, /^the server could not find the requested resource$/],
  ['GET /apis/apps/v9/deployments', 404, /^the server could not find the requested resource$/],
  ['GET /api/v2', 404, /^the server could not find the requested resource$/],
  ['GET /apis/nobody/v1', 404, /^404 page not found\n$/],
  [
    'GET /api/v1/pods?limit=9223372036854775808',
    400,
    /^strconv.ParseInt: parsing "9223372036854775808": value out of range$/,
  ],
  ['GET /api/v1/pods?timeoutSeconds=x', 400, /^strconv.ParseInt: parsing "x": invalid syntax$/],
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
