import { VirtualClock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenPolicy } from '../policy-open.ts';
import type { Policy } from '../ports/policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { parseQuery } from '../request/query.ts';
import { InFlight } from './flow-control/in-flight.ts';
import type { Answer } from './pipeline.ts';

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

async function asStranger(policy: Partial<Policy>, headers: { readonly [name: string]: string } = {}) {
  const { server } = await startTestServer({ policy: () => ({ ...createOpenPolicy(), ...policy }) });
  return server.handle({
    method: 'GET',
    path: '/api/v1/pods',
    query: parseQuery(''),
    header: (name) => headers[name] ?? '',
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

test('impersonation: as somebody else, when the caller may', async () => {
  const asked: string[] = [];
  const policy: Partial<Policy> = {
    authenticate: () => ({ name: 'boss', groups: [] }),
    authorizer: {
      authorize: ({ user, verb, resource, name }) => {
        asked.push(`${user.name} ${verb} ${resource} ${name}`);
        return { decision: name === 'forbidden' ? 'deny' : 'allow', reason: '' };
      },
    },
  };
  const may = await asStranger(policy, { 'impersonate-user': 'jane', 'impersonate-group': 'devs, ops' });
  assert.deepEqual(may.exchange.user, { name: 'jane', groups: ['devs', 'ops', 'system:authenticated'] });
  assert.deepEqual(asked, [
    'boss impersonate users jane',
    'boss impersonate groups devs',
    'boss impersonate groups ops',
    'jane list pods ',
  ]);
  const mayNot = await asStranger(policy, { 'impersonate-user': 'forbidden' });
  assert.ok('code' in mayNot.reply && mayNot.reply.code === 403);
  const account = await asStranger(policy, { 'impersonate-user': 'system:serviceaccount:ns:sa' });
  assert.deepEqual(account.exchange.user.groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:ns',
    'system:authenticated',
  ]);
});

const SLOW = {
  name: 'Slow',
  handles: (operation: string) => operation === 'CREATE',
};

async function startSlow(user: string): Promise<{
  server: TestServer['server'];
  release: (() => void)[];
  post: (name: string) => Promise<Answer>;
}> {
  const release: (() => void)[] = [];
  const admit = (): Promise<void> => new Promise<void>((resolve) => void release.push(resolve));
  const { server } = await startTestServer({
    policy: () => ({
      ...createOpenPolicy(),
      admission: [{ ...SLOW, admit }],
      authenticate: () => Promise.resolve({ name: user, groups: [user] }),
    }),
  });
  const post = (name: string): Promise<Answer> =>
    server.handle({
      method: 'POST',
      path: PODS_PATH,
      query: parseQuery(''),
      header: () => '',
      credentials: {},
      body: { kind: 'value', value: podNamed(name) },
    });
  return { server, release, post };
}

test('more requests in flight than the bound wait, and are served when one is done', async () => {
  const { server, release, post } = await startSlow('jane');
  const all = Array.from({ length: 250 }, (_, n) => post(`p${n}`));
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  assert.deepEqual([server.core.inFlight.mutating, release.length], [200, 200], 'the bound holds');
  for (let done = 0; done < 250;) {
    await Promise.resolve();
    for (const go of release.splice(0)) {
      go();
      done++;
    }
  }
  const answers = await Promise.all(all);
  assert.ok(answers.every(({ reply }) => 'code' in reply && reply.code === 201));
  assert.equal(server.core.inFlight.mutating, 0);
});

test('who waits longer than 15 s for a place gets 429 and leaves the line', async () => {
  const clock = new VirtualClock();
  const inFlight = new InFlight();
  for (let n = 0; n < 200; n++) assert.equal(inFlight.enter('mutating', clock), true);
  const late = inFlight.enter('mutating', clock);
  await clock.advance(15_000);
  assert.equal(await late, false);
  inFlight.leave('mutating');
  assert.equal(inFlight.mutating, 199);
});

test('cluster administrators take no place, as in upstream', async () => {
  const { server, release, post } = await startSlow('system:masters');
  const all = Array.from({ length: 250 }, (_, n) => post(`p${n}`));
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  assert.deepEqual([server.core.inFlight.mutating, release.length], [0, 250]);
  for (const go of release) go();
  await Promise.all(all);
});
