import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createTokenKeys } from '../node/token-keys.ts';
import { createPolicy } from '../policy.ts';
import type { AuditEvent } from '../ports/audit.ts';
import { parseQuery } from '../request/query.ts';
import { startTestServer } from '../testing/test-server.ts';
import { settled } from '../testing/watch-probe.ts';
import { readAuditPolicy } from './policy.ts';

/** One request of a crowd: right ones and wrong ones, by people and strangers. */
interface Wish {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly token: string;
}

const PATHS = [
  ...['/version', '/nope', '/api', '/apis/apps/v1', '/api/v1/namespaces', '/api/v1/namespaces/a'],
  ...[
    '/api/v1/namespaces/a/configmaps',
    '/api/v1/namespaces/a/configmaps/m',
    '/api/v1/namespaces/a/configmaps/m/status',
  ],
  ...['/api/v1/namespaces/a/pods/p/log', '/api/v1/namespaces/a/pods/p/exec', '/api/v1/pods', '/apis/x.io/v1/things'],
  ...[
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/api/v1/namespaces/%00/pods',
    '//',
    '/api/v1/watch/pods',
  ],
];
const QUERIES = [
  '',
  'watch=1&timeoutSeconds=1',
  'limit=-1',
  'dryRun=All',
  'fieldSelector=x',
  'timeout=no',
  'continue=x',
];
const BODIES = ['', '{', '{"metadata":{"name":"m"}}', '{"metadata":{"name":"B ad"}}', '[]', '{"kind":"Pod"}'];
const TOKENS = ['', 'admin', 'jane', 'nobody'];

const wishes = fc.array(
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    path: fc.constantFrom(...PATHS),
    query: fc.constantFrom(...QUERIES),
    body: fc.constantFrom(...BODIES),
    token: fc.constantFrom(...TOKENS),
  }),
  { minLength: 1, maxLength: 25 },
);

async function crowd(asked: readonly Wish[]): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  const sink = {
    ...{ name: 'log', strict: false, close: () => Promise.resolve() },
    write: (some: readonly AuditEvent[]) => void events.push(...some),
  };
  const document = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'RequestResponse' }] };
  const users = [
    { token: 'admin', user: { name: 'admin', groups: ['system:masters'] } },
    { token: 'jane', user: { name: 'jane', groups: [] } },
  ];
  const { server, clock } = await startTestServer({
    policy: (world) => {
      const policy = createPolicy(world, { tokenKeys: createTokenKeys() });
      const known = new Map(users.map(({ token, user }) => [token, user]));
      return {
        ...policy,
        authenticate: (credentials, path) => {
          const user = known.get(credentials.bearerToken ?? '');
          return user === undefined
            ? policy.authenticate(credentials, path)
            : { ...user, groups: [...user.groups, 'system:authenticated'] };
        },
        join: (own) => policy.join(own),
      };
    },
    audit: { policy: readAuditPolicy(document), sinks: () => [sink] },
  });
  const answers = asked.map(async ({ method, path, query, body, token }, at) => {
    const read = (): Promise<Uint8Array> => Promise.resolve(new TextEncoder().encode(body));
    const { reply } = await server.handle({
      ...{ method, path, query: parseQuery(query), credentials: token === '' ? {} : { bearerToken: token } },
      header: (name) => (name === 'audit-id' ? `request-${at}` : ''),
      body: body === '' ? { kind: 'none' } : { kind: 'bytes', read },
    });
    if (reply.kind === 'watch')
      reply.source.open({ ready: true, immediate: true, items: () => undefined, end: () => undefined }).stop();
    if (reply.kind === 'stream') reply.cancel();
    if (reply.kind === 'upgrade') reply.stream.abort();
  });
  await Promise.all(answers);
  await clock.advance(5_000);
  await settled();
  return events;
}

/** What may be told of one request, in order; a lasting reply begins before it ends. Of nobody's there is only an answer. */
const STORY = /^(RequestReceived (ResponseStarted )?(ResponseComplete|Panic) |ResponseStarted )$/;

test('whatever is asked by whomever, all of its stages are told, once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(wishes, async (asked) => {
      const told = Map.groupBy(await crowd(asked), ({ auditID }) => auditID);
      for (const [at, wish] of asked.entries()) {
        const stages = (told.get(`request-${at}`) ?? []).map(({ stage }) => `${stage} `).join('');
        assert.match(stages, STORY, JSON.stringify(wish));
      }
    }),
    { seed: 36, numRuns: 40 },
  );
});
