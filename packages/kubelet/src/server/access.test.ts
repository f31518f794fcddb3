import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { Access, LocalAccess } from './access.ts';

function bench(): { clock: VirtualClock; access: Access; asked: string[] } {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const client = {
    dynamic: (resource: { resource: string }) => ({
      create: async (draft: {
        spec: { token?: string; user?: string; resourceAttributes?: { verb: string; subresource: string } };
      }) => {
        const { token, user, resourceAttributes } = draft.spec;
        if (resource.resource === 'tokenreviews') {
          asked.push(`token ${token ?? ''}`);
          return { status: token === 'good' ? { authenticated: true, user: { username: 'jane', groups: ['g'] } } : {} };
        }
        asked.push(`${user ?? ''} ${resourceAttributes?.verb ?? ''} ${resourceAttributes?.subresource ?? ''}`);
        return { status: { allowed: user === 'jane' } };
      },
    }),
  } as unknown as Client;
  return { clock, asked, access: new Access({ client, nodeName: 'n', clock, log: silentLogger }) };
}

test('a token is asked once in two minutes', async () => {
  const { clock, access, asked } = bench();
  assert.deepEqual(await access.authenticate('good'), { name: 'jane', groups: ['g'] });
  assert.equal(await access.authenticate('bad'), undefined);
  await access.authenticate('good');
  assert.deepEqual(asked, ['token good', 'token bad']);
  await clock.advance(121_000);
  await access.authenticate('good');
  assert.equal(asked.length, 3);
});

test('a right is asked by verb and subresource', async () => {
  const { access, asked } = bench();
  assert.equal(await access.authorize({ name: 'jane', groups: [] }, 'GET', '/containerLogs/a/b/c'), undefined);
  assert.deepEqual(await access.authorize({ name: 'joe', groups: [] }, 'POST', '/stats/summary'), {
    status: 403,
    text: 'Forbidden (user=joe, verb=create, resource=nodes, subresource(s)=[stats])',
  });
  await access.authorize({ name: 'jane', groups: [] }, 'GET', '/exec/a/b/c');
  await access.authorize({ name: 'jane', groups: [] }, 'PURGE', '/exec/a/b/c');
  await access.authorize({ name: 'jane', groups: [] }, 'constructor', '/exec/a/b/c');
  assert.deepEqual(asked, ['jane get proxy', 'joe create stats', 'jane  proxy']);
});

test('where nobody can tell it is the server that fails', async () => {
  const client = { dynamic: () => ({ create: () => Promise.reject(new RangeError('away')) }) } as unknown as Client;
  const access = new Access({ client, nodeName: 'n', clock: new VirtualClock(), log: silentLogger });
  assert.deepEqual(await access.authorize({ name: 'jane', groups: [] }, 'GET', '/pods'), {
    status: 500,
    text: 'Authorization error (user=jane, verb=get, resource=nodes, subresource=pods)',
  });
});

test('one of several subresources is enough, and each is asked for once', async () => {
  const { access, asked } = bench();
  assert.equal(await access.authorize({ name: 'jane', groups: [] }, 'GET', '/pods'), undefined);
  assert.equal(await access.authorize({ name: 'jane', groups: [] }, 'GET', '/run/a/b/c'), undefined);
  assert.deepEqual(asked, ['jane get pods', 'jane get proxy']);
  const refusal = await access.authorize({ name: 'joe', groups: [] }, 'GET', '/pods');
  assert.match(refusal?.text ?? '', /subresource\(s\)=\[pods proxy\]/);
});

const CALLS = [
  ['GET', '/pods'],
  ['GET', '/healthz'],
  ['GET', '/containerLogs/a/b/c'],
  ['GET', '/exec/a/b/c'],
  ['POST', '/exec/a/b/c'],
  ['POST', '/run/a/b/c'],
  ['GET', '/portForward/a/b'],
] as const;

test('without an API server anybody on loopback may read, and nobody more; certificates may everything', async () => {
  const open = new LocalAccess(true);
  assert.equal(open.anonymous?.name, 'system:anonymous');
  assert.equal(await open.authenticate(), undefined);
  const allowed: string[] = [];
  for (const [method, path] of CALLS) {
    assert.equal(await open.authorize({ name: 'jane', groups: [] }, method, path), undefined);
    const refusal = await open.authorize(open.anonymous ?? { name: '', groups: [] }, method, path);
    if (refusal === undefined) allowed.push(path);
  }
  assert.deepEqual(allowed, ['/pods', '/healthz', '/containerLogs/a/b/c']);
  assert.equal(new LocalAccess(false).anonymous, undefined);
});
