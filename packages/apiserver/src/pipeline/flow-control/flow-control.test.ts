import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '@binnacle/api';
import type { FlowSchema } from '@binnacle/api/flowcontrol/v1';
import type { KubeObject } from '@binnacle/machinery';
import { suggestedObjects } from '../../fairness/default-objects.ts';
import { createOpenPolicy } from '../../policy-open.ts';
import { parseQuery } from '../../request/query.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import { podNamed, PODS_PATH, startTestServer } from '../../testing/test-server.ts';
import type { TestServer } from '../../testing/test-server.ts';
import { settled } from '../../testing/watch-probe.ts';
import type { Answer } from '../pipeline.ts';

interface SlowServer extends TestServer {
  /** Lets go the admissions that wait. */
  readonly release: (() => void)[];
  readonly post: (user: string, name: string, more?: Partial<ApiRequest>) => Promise<Answer>;
}

const AUTHENTICATED = ['system:authenticated'];

/** A server whose creates take as long as the test likes, for callers named by their token. */
async function startSlow(groups: readonly string[] = AUTHENTICATED): Promise<SlowServer> {
  const release: (() => void)[] = [];
  const admit = (): Promise<void> => new Promise<void>((resolve) => void release.push(resolve));
  const handles = (operation: string, { resource }: { readonly resource: string }): boolean =>
    operation === 'CREATE' && resource === 'pods';
  const users = new Map<string, { name: string; groups: readonly string[] }>();
  const authenticate = ({ bearerToken: name = '' }): { name: string; groups: readonly string[] } => {
    const user = users.get(name) ?? { name, groups };
    users.set(name, user);
    return user;
  };
  const started = await startTestServer({
    policy: () => ({ ...createOpenPolicy(), admission: [{ name: 'Slow', handles, admit }], authenticate }),
  });
  await started.server.bootstrap({ addresses: [], port: 6443 });
  await settleObjects(started);
  const post: SlowServer['post'] = async (user, name, more = {}) =>
    started.server.handle({ ...asked(user), body: { kind: 'value', value: podNamed(name) }, ...more });
  return { ...started, release, post };
}

function asked(user: string): ApiRequest {
  return {
    method: 'POST',
    path: PODS_PATH,
    query: parseQuery(''),
    header: () => '',
    credentials: { bearerToken: user },
    body: { kind: 'none' },
  };
}

/** Changes of the objects are at work. */
async function settleObjects({ clock }: TestServer): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await clock.advance(0);
    await settled();
  }
}

function codeOf({ reply }: Answer): number {
  return 'code' in reply ? reply.code : 200;
}

async function letGo(release: (() => void)[], isDone: () => boolean): Promise<void> {
  for (let turn = 0; !isDone(); turn++) {
    assert.ok(turn < 1000, 'it does not end');
    for (const go of release.splice(0)) go();
    await settled();
  }
}

test('who finds no seat waits and is served later; the bound of the level holds', async () => {
  const { parts, release, post } = await startSlow();
  const level = parts.flow.control.levels.all.get('global-default');
  assert.ok(level !== undefined);
  const { limit } = level.queues;
  const all = Array.from({ length: limit + 40 }, (_, n) => post('jane', `p${n}`));
  await settled();
  assert.deepEqual([level.queues.executing, level.queues.waiting, release.length], [limit, 40, limit]);
  let done = false;
  const answers = Promise.all(all).finally(() => (done = true));
  await letGo(release, () => done);
  assert.ok((await answers).every((answer) => codeOf(answer) === 201));
  assert.equal(level.queues.executing, 0);
});

test('each answer says by UID of which schema and level it was', async () => {
  const { release, post, parts } = await startSlow();
  let done = false;
  const answer = post('jane', 'a').finally(() => (done = true));
  await letGo(release, () => done);
  const { exchange } = await answer;
  const schema = parts.foundation.caches.get(FLOW_SCHEMAS, '', 'global-default');
  const level = parts.foundation.caches.get(PRIORITY_LEVEL_CONFIGURATIONS, '', 'global-default');
  const { schemaUid, levelUid } = exchange.flow ?? {};
  assert.deepEqual([schemaUid, levelUid], [schema?.metadata.uid, level?.metadata.uid]);
  assert.ok(schema?.metadata.uid !== undefined && level?.metadata.uid !== undefined);
});

test('who waits for longer than a quarter of the time it has is sent away in plain words', async () => {
  const { parts, post, clock } = await startSlow();
  const limit = parts.flow.control.levels.all.get('global-default')?.queues.limit ?? 0;
  for (let n = 0; n < limit; n++) void post('jane', `p${n}`);
  await settled();
  const late = [
    post('jane', 'late', { query: parseQuery('timeout=36s') }),
    post('jane', 'soon', { query: parseQuery('timeout=8s') }),
  ];
  await settled();
  await clock.advance(2_000);
  const { reply } = await (late[1] as Promise<Answer>);
  assert.deepEqual(reply.kind === 'text' && [reply.code, reply.body, reply.headers?.['retry-after']], [
    429,
    'Too many requests, please try again later.\n',
    '1',
  ]);
  await clock.advance(7_000);
  assert.equal(codeOf(await (late[0] as Promise<Answer>)), 429);
  const terminated =
    'apiserver_request_terminations_total{verb="POST",group="",version="v1",resource="pods",subresource="",scope="resource",component="apiserver",code="429"} 2\n';
  assert.ok(parts.metrics.render([]).includes(terminated));
});

const LEAVINGS: readonly {
  readonly how: string;
  readonly leave: () => { part: Partial<ApiRequest>; go: () => void };
}[] = [
  {
    how: 'by a signal',
    leave: () => {
      const client = new AbortController();
      return { part: { gone: () => client.signal }, go: () => client.abort() };
    },
  },
  {
    how: 'by a call',
    leave: () => {
      const waiting: (() => void)[] = [];
      const onGone = (run: () => void): (() => void) => {
        waiting.push(run);
        return () => undefined;
      };
      return { part: { onGone }, go: () => waiting.forEach((run) => run()) };
    },
  },
];

for (const { how, leave } of LEAVINGS) {
  test(`who goes away while waiting leaves the queue: told ${how}`, async () => {
    const { parts, post } = await startSlow();
    const level = parts.flow.control.levels.all.get('global-default');
    const limit = level?.queues.limit ?? 0;
    for (let n = 0; n < limit; n++) void post('jane', `p${n}`);
    await settled();
    const { part, go } = leave();
    const gone = post('jane', 'gone', part);
    await settled();
    assert.equal(level?.queues.waiting, 1);
    go();
    assert.equal(codeOf(await gone), 429);
    assert.equal(level.queues.waiting, 0);
  });
}

test('cluster administrators and callers in the process need no seats', async () => {
  const { parts, release, post } = await startSlow(['system:masters']);
  const all = Array.from({ length: 700 }, (_, n) => post('admin', `p${n}`));
  await settled();
  assert.equal(release.length, 700);
  assert.equal(parts.flow.control.levels.all.get('exempt')?.queues.executing, 700);
  for (const go of release) go();
  await Promise.all(all);
});

test('a watch has its seats until it stands', async () => {
  const { parts, server } = await startSlow();
  const queues = parts.flow.control.levels.all.get('global-default')?.queues;
  const answer = await server.handle({ ...asked('jane'), method: 'GET', query: parseQuery('watch=1') });
  assert.equal(answer.reply.kind, 'watch');
  assert.equal(queues?.executing, 1);
  answer.settle();
  answer.settle();
  assert.equal(queues.executing, 0);
});

const wanted = suggestedObjects();

test('the objects are there, and say that their levels exist', async () => {
  const started = await startSlow();
  const schemas = started.parts.foundation.caches.list(FLOW_SCHEMAS) as FlowSchema[];
  assert.equal(schemas.length, wanted.schemas.length + 2);
  assert.equal(started.parts.foundation.caches.list(PRIORITY_LEVEL_CONFIGURATIONS).length, wanted.levels.length + 2);
  for (const { metadata, status, spec } of schemas) {
    const [condition] = status?.conditions ?? [];
    const level = spec.priorityLevelConfiguration.name;
    assert.deepEqual(
      { ...condition, lastTransitionTime: '' },
      {
        type: 'Dangling',
        status: 'False',
        reason: 'Found',
        lastTransitionTime: '',
        message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
      },
      metadata.name ?? '',
    );
  }
});

test('a schema whose level is missing says so and is not used; with the level it is', async () => {
  const started = await startSlow();
  const { server, parts } = started;
  const wire = server.clientAs({ name: 'admin', groups: ['system:masters'] });
  const [schema] = wanted.schemas;
  const rules = [
    {
      subjects: [{ kind: 'User', user: { name: 'jane' } }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    },
  ];
  const spec = { priorityLevelConfiguration: { name: 'own' }, matchingPrecedence: 50, rules };
  await wire.call({ verb: 'create', resource: FLOW_SCHEMAS, body: { ...schema, metadata: { name: 'own' }, spec } });
  await settleObjects(started);
  const info = { ...NOTHING, path: '/version', verb: 'get' };
  const user = { name: 'jane', groups: AUTHENTICATED };
  const dangling = (): string | undefined =>
    (parts.foundation.caches.get(FLOW_SCHEMAS, '', 'own') as FlowSchema).status?.conditions?.[0]?.status;
  assert.deepEqual([dangling(), parts.flow.control.classify(user, info).schema.name], ['True', 'global-default']);
  const limited = { limitResponse: { type: 'Reject' }, nominalConcurrencyShares: 1 };
  const level = { metadata: { name: 'own' }, spec: { type: 'Limited', limited } };
  await wire.call({ verb: 'create', resource: PRIORITY_LEVEL_CONFIGURATIONS, body: level });
  await settleObjects(started);
  assert.deepEqual([dangling(), parts.flow.control.classify(user, info).schema.name], ['False', 'own']);
  await wire.call({ verb: 'delete', resource: PRIORITY_LEVEL_CONFIGURATIONS, name: 'own' });
  await settleObjects(started);
  assert.equal(dangling(), 'True');
  assert.equal(parts.flow.control.levels.all.has('own'), false, 'nothing of it is left');
});

const NOTHING = {
  isResource: false,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  name: '',
  subresource: '',
  rest: '',
  legacyWatch: false,
};

test('mandatory objects are put right whatever they say; suggested ones unless they were taken over', async () => {
  const started = await startSlow();
  const { server, parts, clock } = started;
  const wire = server.clientAs({ name: 'admin', groups: ['system:masters'] });
  const shares = (name: string): unknown => {
    const level = parts.foundation.caches.get(PRIORITY_LEVEL_CONFIGURATIONS, '', name) as KubeObject & {
      spec: { limited?: { nominalConcurrencyShares: number } };
    };
    return level?.spec.limited?.nominalConcurrencyShares;
  };
  const patch = (name: string, body: object): Promise<unknown> =>
    wire.call({ verb: 'patch', patch: 'merge', resource: PRIORITY_LEVEL_CONFIGURATIONS, name, body });
  await wire.call({ verb: 'delete', resource: PRIORITY_LEVEL_CONFIGURATIONS, name: 'system' });
  await patch('workload-low', { spec: { limited: { nominalConcurrencyShares: 7 } } });
  await patch('catch-all', { metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } } });
  await patch('workload-high', {
    metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } },
    spec: { limited: { nominalConcurrencyShares: 9 } },
  });
  await settleObjects(started);
  await clock.advance(3_000);
  await settleObjects(started);
  assert.deepEqual(['system', 'workload-low', 'catch-all', 'workload-high'].map(shares), [30, 100, 5, 9]);
  const catchAll = parts.foundation.caches.get(PRIORITY_LEVEL_CONFIGURATIONS, '', 'catch-all');
  assert.equal(catchAll?.metadata.annotations?.['apf.kubernetes.io/autoupdate-spec'], 'true');
});

test('metrics and dumps, under upstream names', async () => {
  const started = await startSlow();
  const { release, post, ask } = started;
  const running = post('jane', 'a');
  await settled();
  const text = async (path: string): Promise<string> => String((await ask(`GET ${path}`)).body['text']);
  const metrics = await text('/metrics');
  for (const line of [
    'apiserver_flowcontrol_current_executing_requests{priority_level="global-default",flow_schema="global-default"} 1',
    'apiserver_flowcontrol_dispatched_requests_total{priority_level="global-default",flow_schema="global-default"} 1',
    'apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245',
    'apiserver_flowcontrol_lower_limit_seats{priority_level="workload-low"} 24',
    'apiserver_flowcontrol_upper_limit_seats{priority_level="workload-low"} 845',
    'apiserver_current_inflight_requests{request_kind="mutating"} 1',
  ]) {
    assert.ok(metrics.includes(`\n${line}\n`), `${line} in\n${metrics}`);
  }
  const dumps = '/debug/api_priority_and_fairness';
  const levels = (await text(`${dumps}/dump_priority_levels`)).split('\n');
  assert.equal(
    levels[0],
    'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests',
  );
  assert.match(
    levels.find((line) => line.startsWith('global-default')) ?? '',
    /^global-default, +0, +false, +false, +0, +1, +1, +0, +0, +0$/,
  );
  assert.match(
    await text(`${dumps}/dump_queues`),
    /\nglobal-default, +\d+, +0, +1, +1, +0\.00300000ss, +0, +0, +0\.00000000ss\n/,
  );
  assert.match(
    await text(`${dumps}/dump_requests?includeRequestDetails=1`),
    /\nglobal-default, +global-default, +\d+, +-1, +jane, +2026-01-01T00:00:\d\d(\.\d+)?Z, +1, +0, +0s, +2026[^,]+, +jane, +create, +\/api\/v1\/namespaces\/default\/pods, +default, +, +v1, +pods, +\n/,
  );
  assert.ok(!JSON.stringify((await ask('GET /')).body).includes('debug'), 'they are not listed');
  let done = false;
  void running.finally(() => (done = true));
  await letGo(release, () => done);
});
