import assert from 'node:assert/strict';
import test from 'node:test';
import { createDuplexPair } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { UserInfo } from '@binnacle/machinery';
import { createOpenPolicy } from '../policy-open.ts';
import type { AuditEvent, AuditSink } from '../ports/audit.ts';
import { parseQuery } from '../request/query.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer, TestServerOptions } from '../testing/test-server.ts';
import { settled } from '../testing/watch-probe.ts';
import { AuditSinkError } from './errors.ts';
import { readAuditPolicy } from './policy.ts';

const JANE: UserInfo = { name: 'jane', groups: ['system:authenticated'] };

interface Audited extends TestServer {
  readonly events: AuditEvent[];
  /** Over HTTP, as Jane unless said otherwise. */
  readonly from: (line: string, more?: Partial<ApiRequest>) => ReturnType<TestServer['answer']>;
}

interface Choice extends Pick<TestServerOptions, 'policy'> {
  readonly rule?: object;
  readonly more?: object;
  readonly sink?: Partial<AuditSink>;
}

async function start({ rule = {}, more = {}, sink = {}, policy }: Choice = {}): Promise<Audited> {
  const events: AuditEvent[] = [];
  const kept: AuditSink = {
    name: 'log',
    strict: false,
    write: (some) => void events.push(...some),
    close: () => Promise.resolve(),
    ...sink,
  };
  const document = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata', ...rule }], ...more };
  const started = await startTestServer({
    policy: policy ?? (() => ({ ...createOpenPolicy(), authenticate: () => JANE })),
    audit: { policy: readAuditPolicy(document), sinks: () => [kept] },
  });
  const from: Audited['from'] = async (line, given = {}) => {
    const [method = '', target = ''] = line.split(' ');
    const [path = '', query = ''] = target.split('?');
    return started.server.handle({
      method,
      path,
      query: parseQuery(query),
      header: () => '',
      credentials: {},
      body: { kind: 'none' },
      ...given,
    });
  };
  return { ...started, events, from };
}

function stages(events: readonly AuditEvent[]): string[] {
  return events.map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code ?? '-'}`);
}

test('who, what, whence and when', async () => {
  const { events, from, clock } = await start();
  const agent = `kubectl${'x'.repeat(2000)}`;
  const headers = new Map([
    ['user-agent', agent],
    ['x-forwarded-for', '10.0.0.1, nonsense, 10.0.0.2'],
    ['audit-id', 'given'],
  ]);
  await clock.advance(1_500);
  await from('GET /api/v1/namespaces/a/pods/p/log?follow=true&x=1&x=2', {
    header: (name) => headers.get(name) ?? '',
    remoteAddress: () => '::ffff:127.0.0.1',
  });
  const [received] = events;
  assert.deepEqual(received, {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: 'given',
    stage: 'RequestReceived',
    requestURI: '/api/v1/namespaces/a/pods/p/log?follow=true&x=1&x=2',
    verb: 'get',
    user: { username: 'jane', groups: ['system:authenticated'] },
    sourceIPs: ['10.0.0.1', '10.0.0.2', '127.0.0.1'],
    userAgent: `${agent.slice(0, 1024)}...TRUNCATED`,
    objectRef: { resource: 'pods', namespace: 'a', name: 'p', apiVersion: 'v1', subresource: 'log' },
    requestReceivedTimestamp: '2026-01-01T00:00:01.500000Z',
    stageTimestamp: '2026-01-01T00:00:01.500000Z',
  });
  assert.deepEqual(stages(events), ['RequestReceived -', 'ResponseStarted 404', 'ResponseComplete 404']);
  assert.equal(events.at(-1)?.responseStatus?.reason, 'NotFound');
});

const POD = { kind: 'value', value: podNamed('p') } as const;

const BODIES: readonly (readonly [level: string, request: boolean, response: boolean])[] = [
  ['Metadata', false, false],
  ['Request', true, false],
  ['RequestResponse', true, true],
];

for (const [level, request, response] of BODIES) {
  test(`bodies at level ${level}`, async () => {
    const { events, from } = await start({ rule: { level } });
    await from(`POST ${PODS_PATH}`, { body: POD });
    const last = events.at(-1);
    const sent = last?.requestObject as { metadata: object; kind: string; spec: object } | undefined;
    const got = last?.responseObject as { metadata: { uid: string } } | undefined;
    assert.deepEqual([sent?.kind, got?.metadata.uid !== undefined], [request ? 'Pod' : undefined, response]);
    if (sent !== undefined) assert.ok(!('uid' in sent.metadata), 'as it was sent, not as it became');
    assert.deepEqual(last?.objectRef?.name, 'p', 'a body names what its path does not');
    assert.equal(last?.responseStatus?.code, 201);
  });
}

test('patches are kept as they are; deletions with their options; lists as lists, without managed fields if so wished', async () => {
  const { events, from } = await start({ rule: { level: 'RequestResponse', omitManagedFields: true } });
  await from(`POST ${PODS_PATH}`, { body: POD });
  const type = (name: string): string => (name === 'content-type' ? 'application/merge-patch+json' : '');
  const patch = { metadata: { labels: { a: 'b' } } };
  await from(`PATCH ${PODS_PATH}/p`, { body: { kind: 'value', value: patch }, header: type });
  const patched = events.at(-1);
  assert.deepEqual([patched?.requestObject, patched?.responseStatus?.code], [patch, 200]);
  const answer = patched?.responseObject as { metadata: object } | undefined;
  assert.ok(answer !== undefined && !('managedFields' in answer.metadata));
  await from(`GET ${PODS_PATH}`);
  const list = events.at(-1)?.responseObject as { kind: string; items: { metadata: object }[] };
  assert.deepEqual([list.kind, list.items.map(({ metadata }) => 'managedFields' in metadata)], ['PodList', [false]]);
  await from(`DELETE ${PODS_PATH}/p`, { body: { kind: 'value', value: { gracePeriodSeconds: 0 } } });
  assert.deepEqual(events.at(-1)?.requestObject, { gracePeriodSeconds: 0 });
});

test('omitted stages are not made, and level None leaves nothing', async () => {
  const { events, from } = await start({ more: { omitStages: ['RequestReceived'] } });
  await from('GET /version');
  assert.deepEqual(stages(events), ['ResponseComplete 200']);
  const none = await start({ rule: { level: 'None' } });
  await none.from('GET /version');
  assert.deepEqual(none.events, []);
  const metrics = String((await none.ask('GET /metrics')).body['text']);
  assert.match(metrics, /\napiserver_audit_level_total\{level="None"\} 2\n/);
});

test('the decision is noted, and who was asked to be', async () => {
  const decide = ({ user }: { user: UserInfo }) =>
    user.name === 'jane'
      ? ({ decision: 'allow', reason: 'because' } as const)
      : ({ decision: 'noOpinion', reason: 'no' } as const);
  const { events, from } = await start({
    policy: () => ({ ...createOpenPolicy(), authenticate: () => JANE, authorizer: { authorize: decide } }),
  });
  await from('GET /version');
  assert.deepEqual(events.at(-1)?.annotations, {
    'authorization.k8s.io/decision': 'allow',
    'authorization.k8s.io/reason': 'because',
  });
  const headers = [['impersonate-user', 'joe']] as const;
  await from('GET /version', { headerLines: () => headers });
  const last = events.at(-1);
  assert.deepEqual([last?.user.username, last?.impersonatedUser?.username], ['jane', 'joe']);
  assert.deepEqual(last?.authenticationMetadata, { impersonationConstraint: 'impersonate:user-info' });
  assert.deepEqual(last?.annotations?.['authorization.k8s.io/decision'], 'forbid');
  assert.equal(last?.responseStatus?.code, 403);
});

interface Ending {
  readonly name: string;
  readonly line: string;
  readonly request?: Partial<ApiRequest>;
  readonly choice?: Choice;
  /** Makes it end, where it lasts. */
  readonly end?: (answer: Awaited<ReturnType<Audited['from']>>) => void | Promise<void>;
  readonly stages: readonly string[];
}

const COMPLETE = (code: number): readonly string[] => ['RequestReceived -', `ResponseComplete ${code}`];
const SINK_OUTPUT = { ready: true, immediate: true, items: () => undefined, end: () => undefined };
const QUIET = { admission: [], authenticate: () => JANE };

function admitting(admit: () => Promise<void>): Choice {
  const plugin = { name: 'X', handles: () => true, admit };
  return { policy: () => ({ ...createOpenPolicy(), authenticate: () => JANE, admission: [plugin] }) };
}

const ENDINGS: readonly Ending[] = [
  { name: 'a success', line: `POST ${PODS_PATH}`, request: { body: POD }, stages: COMPLETE(201) },
  { name: 'what is missing', line: `GET ${PODS_PATH}/none`, stages: COMPLETE(404) },
  { name: 'a path that nobody serves', line: 'GET /nowhere', stages: COMPLETE(404) },
  { name: 'a method that is none', line: 'POST /version', stages: COMPLETE(405) },
  {
    name: 'a body that is none',
    line: `POST ${PODS_PATH}`,
    request: { body: { kind: 'value', value: 7 } },
    stages: COMPLETE(400),
  },
  {
    name: 'a body that does not come in time',
    line: `POST ${PODS_PATH}`,
    request: { body: { kind: 'bytes', read: () => Promise.reject(status.timeout('too slow', 1)) } },
    stages: COMPLETE(504),
  },
  {
    name: 'a refusal by admission',
    line: `POST ${PODS_PATH}`,
    request: { body: POD },
    choice: admitting(() => Promise.reject(status.forbidden({ group: '', resource: 'pods' }, 'p', 'no'))),
    stages: COMPLETE(403),
  },
  {
    name: 'a fault of our own',
    line: `POST ${PODS_PATH}`,
    request: { body: POD },
    choice: admitting(() => Promise.reject(new TypeError('x is undefined'))),
    stages: ['RequestReceived -', 'Panic 500'],
  },
  {
    name: 'nobody knows who asks',
    line: 'GET /version',
    request: { credentials: { bearerToken: 'x' } },
    choice: {
      policy: () => ({
        ...createOpenPolicy(),
        ...QUIET,
        authenticate: () => {
          throw status.unauthorized();
        },
      }),
    },
    stages: ['ResponseStarted 401'],
  },
  {
    name: 'a watch that the client ends',
    line: `GET ${PODS_PATH}?watch=1`,
    end: ({ reply }) => {
      if (reply.kind === 'watch') reply.source.open(SINK_OUTPUT).stop();
    },
    stages: ['RequestReceived -', 'ResponseStarted 200', 'ResponseComplete 200'],
  },
  {
    name: 'a watch that runs out of time',
    line: `GET ${PODS_PATH}?watch=1&timeoutSeconds=3`,
    end: ({ reply }) => {
      if (reply.kind === 'watch') reply.source.open(SINK_OUTPUT);
    },
    stages: ['RequestReceived -', 'ResponseStarted 200', 'ResponseComplete 200'],
  },
  {
    name: 'a watch that is refused',
    line: `GET ${PODS_PATH}?watch=1&fieldSelector=x`,
    stages: ['RequestReceived -', 'ResponseStarted 400', 'ResponseComplete 400'],
  },
];

for (const { name, line, request, choice, end, stages: expected } of ENDINGS) {
  test(`every request has its stages: ${name}`, async () => {
    const { from, events, clock } = await start(choice);
    const answer = await from(line, request);
    await end?.(answer);
    await clock.advance(5_000);
    await settled();
    assert.deepEqual(stages(events), expected);
    assert.equal(new Set(events.map(({ auditID }) => auditID)).size, 1);
  });
}

test('every request has its stages: streams and upgrades', async () => {
  const { from, events, parts } = await start();
  const { auditor } = parts.pipeline;
  const { exchange } = await from('GET /version');
  events.length = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
  }
  const stream = {
    kind: 'stream',
    code: 200,
    contentType: 'text/plain',
    body: pieces(),
    cancel: () => undefined,
  } as const;
  const read = await auditor?.finish(exchange, stream, undefined);
  assert.ok(read?.kind === 'stream');
  for await (const _ of read.body) assert.deepEqual(stages(events), ['ResponseStarted 200']);
  read.cancel();
  const [near, far] = createDuplexPair();
  await auditor?.finish(exchange, { kind: 'upgrade', code: 101, headers: {}, stream: near }, undefined);
  far.abort();
  near.abort();
  await near.closed;
  await settled();
  assert.deepEqual(stages(events), [
    'ResponseStarted 200',
    'ResponseComplete 200',
    'ResponseStarted 101',
    'ResponseComplete 101',
  ]);
});

test('callers in the process are recorded too, also one that leaves before its watch stands', async () => {
  const { server, events } = await start();
  const wire = server.clientAs({ name: 'scheduler', groups: [] });
  await wire.call({ verb: 'list', resource: { group: '', version: 'v1', resource: 'pods' } });
  const watch = wire.watch(
    { resource: { group: '', version: 'v1', resource: 'pods' } },
    { events: () => undefined, end: () => undefined },
  );
  watch.stop();
  await settled();
  await settled();
  assert.deepEqual(stages(events), [
    ...['RequestReceived -', 'ResponseComplete 200'],
    ...['RequestReceived -', 'ResponseStarted 200', 'ResponseComplete 200'],
  ]);
  assert.equal(events[0]?.user.username, 'scheduler');
});

test('a sink that fails is counted; a strict one refuses the request', async () => {
  const write = (): void => {
    throw new AuditSinkError('the disk is full');
  };
  const lenient = await start({ sink: { write } });
  const { reply } = await lenient.from('GET /version');
  assert.equal('code' in reply && reply.code, 200);
  const metrics = String((await lenient.ask('GET /metrics')).body['text']);
  assert.match(metrics, /\napiserver_audit_error_total\{plugin="log"\} [1-9]/);
  const strict = await start({ sink: { write: () => Promise.reject(new AuditSinkError('away')), strict: true } });
  const refused = await strict.from('GET /version');
  assert.ok('code' in refused.reply && refused.reply.code === 500);
  assert.match(JSON.stringify('object' in refused.reply ? refused.reply.object : ''), /failed to store audit event/);
});

test('who waits for a sink is answered when it has taken the event', async () => {
  const taken: (() => void)[] = [];
  const { from } = await start({ sink: { write: () => new Promise((resolve) => void taken.push(resolve)) } });
  let answered = false;
  const answer = from('GET /version').finally(() => (answered = true));
  for (let turn = 0; turn < 2; turn++) {
    await settled();
    assert.equal(answered, false);
    taken.shift()?.();
  }
  await answer;
});
