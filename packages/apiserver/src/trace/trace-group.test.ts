import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Cause, Hop } from '@binnacle/base';
import { readReplyText } from '@binnacle/machinery';
import type { Reply } from '../catalogue/definition.ts';
import type { UserInfo } from '@binnacle/machinery';
import type { PastRevisionList, PodExplanation, TraceHop, TraceHopList } from '@binnacle/trace';
import { podNamed, startTestServer } from '../testing/test-server.ts';
import { ADMIN, ALICE, BOB, ROOT, startTraced as start } from '../testing/traced-server.ts';
import type { TracedServer as Cluster } from '../testing/traced-server.ts';

const CONTROLLERS: UserInfo = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };

const PODS = '/api/v1/namespaces/default/pods';

/** A controller that was shown something makes a pod, and says so. */
async function reconcile(cluster: Cluster, shown: TraceHop): Promise<void> {
  const { revision = '' } = shown;
  const id = `replication-controller/default/frontend@${revision}`;
  const { trace } = cluster.test.server;
  const object = { group: '', resource: 'replicationcontrollers', namespace: 'default', name: 'frontend' };
  const cause: Cause = { id, component: 'replication-controller', request: 'ADDED frontend', revision };
  await cluster.send(`POST ${PODS}`, { user: ADMIN, body: podNamed('frontend-1'), cause });
  const hop: Hop = {
    ...{ id, kind: 'reconcile', component: 'replication-controller', name: 'sync default/frontend' },
    ...{ startedAt: trace.now(), durationMs: 1, object, revision },
  };
  trace.record(hop);
}

function chain(list: TraceHopList, from: TraceHop): string[] {
  const byName = new Map(list.items.map((hop) => [hop.metadata.name, hop]));
  const told: string[] = [];
  for (let hop: TraceHop | undefined = from; hop !== undefined;) {
    told.push(hop.type);
    if (hop.cause.type !== 'hop') told.push(hop.cause.type);
    hop = hop.cause.type === 'hop' ? byName.get(hop.cause.hop) : undefined;
  }
  return told;
}

const PREEMPTION = {
  ...{ atMs: 1, tried: 3, untried: 0, candidates: 2, chosen: 'n1', victimsLeft: 1, extenders: [] },
  unsuitable: [{ reason: 'r', nodes: 1, names: ['n3'] }],
  listed: [
    {
      ...{ node: 'n1', victims: 2, budgetViolations: 0, prioritySum: 2 },
      named: [
        { namespace: 'default', name: 'mine', priority: 2 },
        { namespace: 'hidden', name: 'merger-with-acme', priority: 1 },
      ],
    },
  ],
  choice: [{ by: 'fewestVictims', left: 1 }],
  steps: [
    { atMs: 2, what: 'asked', times: 1, pods: 2 },
    { atMs: 3, what: 'withdrawn', times: 1, pod: { namespace: 'hidden', name: 'merger-with-acme' } },
  ],
};

/** Of reports of what preemption looked at: nothing that readers go through has another shape. */
const ODD_PREEMPTIONS: readonly unknown[] = [
  ...['unsuitable', 'listed', 'extenders', 'choice', 'steps'].map((list) => ({ ...PREEMPTION, [list]: undefined })),
  ...[null, 5, [], {}, { ...PREEMPTION, tried: 'x' }, { ...PREEMPTION, obstacle: {} }, { ...PREEMPTION, chosen: 5 }],
  ...[null, 5, [null], [{}], [{ ...PREEMPTION.unsuitable[0], names: [5] }]].map((unsuitable) => ({
    ...PREEMPTION,
    unsuitable,
  })),
  ...[null, {}, [5], [{ ...PREEMPTION.listed[0], victims: '2' }]].map((listed) => ({ ...PREEMPTION, listed })),
  ...[null, {}, [null], [{ namespace: 'a' }], [{ namespace: {}, name: 'x' }]].map((named) => ({
    ...PREEMPTION,
    listed: [{ ...PREEMPTION.listed[0], named }],
  })),
  ...[null, {}, [5], [{ what: 5 }], [{ what: 'x', pod: null }], [{ what: 'x', pod: { namespace: 5 } }]].map(
    (steps) => ({
      ...PREEMPTION,
      steps,
    }),
  ),
  ...[null, [5], [{ by: {} }]].map((choice) => ({ ...PREEMPTION, choice })),
  ...[{}, [null], [{ name: 5 }]].map((extenders) => ({ ...PREEMPTION, extenders })),
];

const RC = {
  metadata: { name: 'frontend' },
  spec: { replicas: 0, selector: { a: 'b' }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } },
};

describe('the trace of one server', () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await start();
    const wire = cluster.test.server.clientAs(CONTROLLERS);
    const resource = { group: '', version: 'v1', resource: 'replicationcontrollers' };
    const shown = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    wire.watch(
      {
        resource,
        query: { allowWatchBookmarks: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' },
      },
      {
        events: (batch) => (batch.some(({ type }) => type === 'ADDED') ? shown.resolve() : opened.resolve()),
        end: (error) => error !== undefined && opened.reject(error),
      },
    );
    await opened.promise;
    const rc = structuredClone(RC);
    Object.assign(rc.spec.template.spec, { containers: [{ name: 'c', image: 'busybox' }] });
    await cluster.send('POST /api/v1/namespaces/default/replicationcontrollers', { body: rc });
    await shown.promise;
    const { items } = await cluster.hops('?limit=5000');
    const delivery = items.find(({ type }) => type === 'delivery');
    assert.ok(delivery !== undefined, 'the watch was handed the controller');
    await reconcile(cluster, delivery);
  });

  test('a pod leads back over commit, request, reconcile, delivery to the request of a client', async () => {
    const list = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?about=pods/frontend-1`);
    const made = list.items.find(({ type, object }) => type === 'commit' && object?.name === 'frontend-1');
    assert.ok(made !== undefined);
    assert.deepEqual(chain(list, made), ['commit', 'request', 'reconcile', 'delivery', 'commit', 'request', 'client']);
    const opening = list.items.find(({ type }) => type === 'watch');
    assert.match(opening?.title ?? '', /^GET \/api\/v1\/replicationcontrollers\?.*watch=true/);
    assert.equal(list.ring.on, true);
    assert.deepEqual(list.ring.forgotten, { changes: 0, others: 0, deliveries: 0 });
  });

  test('a request tells who was allowed by what, and which plugin changed what', async () => {
    const list = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?about=pods/frontend-1`);
    const request = list.items.find(({ type, title }) => type === 'request' && title === `POST ${PODS}`);
    assert.deepEqual(
      [request?.component, request?.user, request?.detail?.['code'], request?.object?.name],
      ['kubectl/v1.33', 'admin', 201, 'frontend-1'],
    );
    const allowed = list.items.find(({ metadata }) => metadata.name === `${request?.metadata.name}.authorization`);
    assert.deepEqual(allowed?.detail, { allowed: true, reason: 'group system:masters' });
    const plugins = list.items.filter(({ type }) => type === 'admission').map(({ detail }) => detail?.['plugin']);
    assert.deepEqual(plugins.toSorted(), ['DefaultTolerationSeconds', 'Priority', 'ServiceAccount']);
  });

  test('who may not list nodes, bindings, Events or an object does not see them in the trace', async () => {
    await cluster.send('POST /api/v1/namespaces/default/secrets', {
      body: { metadata: { name: 'hush' }, stringData: { password: 'hunter2' } },
    });
    const all = JSON.stringify(await cluster.hops('?limit=5000'));
    assert.match(all, /hush/);
    assert.doesNotMatch(all, /hunter2|aHVudGVyMg/, 'no body is kept');
    const seen = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?limit=5000`, { user: ALICE });
    assert.ok(seen.items.some(({ object }) => object?.name === 'frontend-1'));
    assert.doesNotMatch(JSON.stringify(seen), /hush|RoleBinding|ClusterRoleBinding|alice-views/);
    const refused = await cluster.send(`GET ${ROOT}/namespaces/default/hops`, { user: BOB });
    assert.equal((refused as { code: number }).code, 403);
    const everywhere = await cluster.send(`GET ${ROOT}/hops`, { user: ALICE });
    assert.equal((everywhere as { code: number }).code, 403);
  });

  test('a cause that the viewer may not see is hidden', async () => {
    const revision = (await cluster.hops('?limit=5000')).items.find(
      ({ type, object }) => type === 'commit' && object?.name === 'hush',
    )?.revision;
    const cause: Cause = { id: 'x', component: 'x', request: '', revision: revision ?? '' };
    await cluster.send(`POST ${PODS}`, { body: podNamed('caused'), cause });
    const seen = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?about=pods/caused`, {
      user: ALICE,
    });
    const request = seen.items.find(({ type }) => type === 'request');
    assert.deepEqual(request?.cause, { type: 'hidden' });
  });

  test('requests to which clients give one audit ID are told apart, by who may see them and by what they caused', async () => {
    const auditId = 'one for all';
    for (const [resource, name] of [
      ['configmaps', 'told'],
      ['secrets', 'untold'],
    ]) {
      await cluster.send(`POST /api/v1/namespaces/default/${resource}`, { body: { metadata: { name } }, auditId });
    }
    const { items } = await cluster.hops('?limit=5000');
    for (const name of ['told', 'untold']) {
      const commit = items.find(({ type, object }) => type === 'commit' && object?.name === name);
      const { cause } = commit ?? {};
      const request = items.find(({ metadata }) => cause?.type === 'hop' && metadata.name === cause.hop);
      assert.equal(request?.object?.name, name);
      assert.equal(request?.detail?.['auditID'], auditId);
    }
    const seen = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?limit=5000`, { user: ALICE });
    assert.ok(seen.items.some(({ type, object }) => type === 'request' && object?.name === 'told'));
    assert.doesNotMatch(JSON.stringify(seen), /untold|default\/secrets/);
  });

  test('what is run in a container, or said to what is behind a proxy, is told to nobody', async () => {
    for (const line of [
      'POST /api/v1/namespaces/default/pods/frontend-1/exec?command=hunter3&container=c',
      'GET /api/v1/namespaces/default/pods/frontend-1/proxy/login?token=hunter3',
      'GET /api/v1/namespaces/default/services/shop/proxy/?comm%61nd=x&%74oken=hunter3',
      'POST /api/v1/nodes/n/proxy/run/default/frontend-1/c?cmd=hunter3',
    ]) {
      await cluster.send(line);
    }
    const all = await cluster.hops('?limit=5000');
    assert.doesNotMatch(JSON.stringify(all), /hunter3/);
    const login = all.items.find(({ title }) => title.endsWith('/pods/frontend-1/proxy/login'));
    assert.deepEqual(login?.detail?.['query'], {});
  });

  test('hops of some types alone, each commit with who made it', async () => {
    const { items } = await cluster.hops('?limit=5000&type=commit,request');
    assert.deepEqual([...new Set(items.map(({ type }) => type))].toSorted(), ['commit', 'request']);
    const made = items.find(({ type, object }) => type === 'commit' && object?.name === 'frontend-1');
    assert.deepEqual(made?.detail, { operation: 'create', by: 'kubectl/v1.33' });
  });

  test('pages go back in time and miss nothing', async () => {
    const whole = await cluster.hops('?limit=5000');
    const names: string[] = [];
    for (let token = '', pages = 0; pages < 1000; pages++) {
      const page: TraceHopList = await cluster.hops(`?limit=50${token === '' ? '' : `&continue=${token}`}`);
      names.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.metadata.continue ?? '';
      if (token === '') break;
    }
    // What the pages themselves left is not in the first list.
    const missing = whole.items.filter(({ metadata }) => !names.includes(metadata.name));
    assert.deepEqual(missing, []);
    assert.equal(new Set(names).size, names.length);
  });

  test('what is no object, no token and no number is refused', async () => {
    const unreadable = ['about=pods', 'about=pods/', 'about=../x', 'about=pods/a/b', 'continue=x', 'limit=x'];
    const ignored = ['labelSelector=a%3Db', 'fieldSelector=metadata.name%3D1'];
    for (const query of [...unreadable, ...ignored, ...ignored.map((one) => `${one}&watch=true`)]) {
      const reply = await cluster.send(`GET ${ROOT}/namespaces/default/hops?${query}`);
      assert.equal((reply as { code: number }).code, 400, query);
    }
    const all = await cluster.hops();
    for (const limit of ['-1', '0']) {
      const { items, metadata } = await cluster.hops(`?limit=${limit}`);
      assert.ok(items.length >= all.items.length, `limit=${limit}`);
      assert.notEqual(metadata.continue, 'Infinity');
    }
    const none = await cluster.hops('?about=constructor/__proto__');
    assert.deepEqual(none.items, []);
  });

  test('kubectl reads hops and explanations as tables', async () => {
    const listed = (await cluster.send(`GET ${ROOT}/hops?type=commit&limit=1`)) as Extract<Reply, { kind: 'object' }>;
    const [first] = listed.items ?? [];
    const [name, type, component] = (first && listed.columns?.row(first, 0)) ?? [];
    assert.deepEqual([name, type, component], [first?.metadata.name, 'commit', 'store']);
    const told = (await cluster.send(`GET ${ROOT}/explanations`)) as Extract<Reply, { kind: 'object' }>;
    assert.deepEqual(
      told.columns?.columns.map((column) => column.name),
      ['Name', 'Node', 'Scheduler', 'Message'],
    );
  });

  test('all versions of an object, deleted or not, with who made them', async () => {
    await cluster.send('POST /api/v1/namespaces/default/configmaps', {
      body: { metadata: { name: 'm' }, data: { a: '1' } },
    });
    await cluster.send('PUT /api/v1/namespaces/default/configmaps/m', {
      body: { metadata: { name: 'm' }, data: { a: '2' } },
    });
    await cluster.send('DELETE /api/v1/namespaces/default/configmaps/m');
    await cluster.send('POST /api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'm2' }, data: {} } });
    const path = `GET ${ROOT}/namespaces/default/revisions?about=configmaps/m`;
    const list = await cluster.get<PastRevisionList>(path);
    const told = list.items.map(({ type, user, object }) => [type, user, (object as { data: { a: string } }).data.a]);
    assert.deepEqual(told, [
      ['ADDED', 'admin', '1'],
      ['MODIFIED', 'admin', '2'],
      ['DELETED', 'admin', '2'],
    ]);
    assert.deepEqual([list.compactedBefore, list.metadata.continue], [undefined, undefined]);
    const latest = await cluster.get<PastRevisionList>(`${path}&limit=2`);
    const { continue: token } = latest.metadata;
    assert.deepEqual([latest.items, token], [list.items.slice(1), list.items[1]?.revision], 'what is cut is said');
    const rest = await cluster.get<PastRevisionList>(`${path}&limit=2&continue=${token}`);
    assert.deepEqual([rest.items, rest.metadata.continue], [list.items.slice(0, 1), undefined]);
    const none = await cluster.send(`${path}&continue=x`);
    assert.equal((none as { code: number }).code, 400);
    assert.ok(list.items.every(({ cause }) => cause.type === 'hop'));
    await cluster.test.store.compact(Number(list.items[1]?.revision));
    const later = await cluster.get<PastRevisionList>(path);
    assert.deepEqual([later.compactedBefore, later.items.length], [list.items[1]?.revision, 2]);
    const secret = await cluster.send(`GET ${ROOT}/namespaces/default/revisions?about=secrets/hush`, { user: ALICE });
    assert.equal((secret as { code: number }).code, 403);
    const nothing = await cluster.send(`GET ${ROOT}/namespaces/default/revisions?about=nothings/x`);
    assert.equal((nothing as { code: number }).code, 404);
  });

  test('a decision is explained; who may not list nodes learns no names', async () => {
    const { trace } = cluster.test.server;
    const detail = {
      node: 'n1',
      isComplete: true,
      refused: [{ plugin: 'NodeName', reasons: ['no'], nodes: 2, names: ['n2', 'n3'] }],
      scored: [{ node: 'n1', total: 5, by: { Fit: 5 } }],
    };
    const object = { group: '', resource: 'pods', namespace: 'default', name: 'frontend-1', uid: 'u-1' };
    trace.record({
      ...{
        kind: 'decision',
        component: 'default-scheduler',
        name: 'schedule',
        startedAt: trace.now(),
        durationMs: 0.5,
      },
      ...{ object, detail: () => detail },
    });
    const path = `GET ${ROOT}/namespaces/default/explanations/frontend-1`;
    const told = await cluster.get<PodExplanation>(path);
    assert.deepEqual(
      [told.node, told.scheduler, told.scored, told.isComplete, told.podUid],
      ['n1', 'default-scheduler', detail.scored, true, 'u-1'],
    );
    const seen = await cluster.get<PodExplanation>(path, { user: ALICE });
    assert.deepEqual(
      [seen.scored, seen.refused[0]?.nodes, seen.refused[0]?.names, seen.isComplete],
      [[], 2, [], false],
    );
    assert.equal(((await cluster.send(`${path}x`)) as { code: number }).code, 404);
  });

  test('pods that others make room by are named to who may list them, nodes to who may list nodes; others are counted', async () => {
    const { trace } = cluster.test.server;
    const object = { group: '', resource: 'pods', namespace: 'default', name: 'urgent', uid: 'u-2' };
    trace.record({
      ...{ kind: 'decision', component: 'default-scheduler', name: 'schedule', startedAt: trace.now(), durationMs: 1 },
      ...{ object, detail: { message: 'no room', isComplete: true, refused: [], scored: [], preemption: PREEMPTION } },
    });
    const path = `GET ${ROOT}/namespaces/default/explanations/urgent`;
    const whole = await cluster.get<PodExplanation>(path);
    assert.deepEqual(whole.preemption, PREEMPTION);
    const seen = await cluster.get<PodExplanation>(path, { user: ALICE });
    assert.deepEqual(
      [seen.preemption?.candidates, seen.preemption?.listed, seen.preemption?.unsuitable[0]?.names],
      [2, [], []],
    );
    await cluster.send('POST /apis/rbac.authorization.k8s.io/v1/clusterroles', {
      body: { metadata: { name: 'nodes' }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] },
    });
    await cluster.send('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      body: {
        metadata: { name: 'nodes' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nodes' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'nora' }],
      },
    });
    const nora: UserInfo = { name: 'nora', groups: ['system:authenticated'] };
    await cluster.allow(nora, [
      { apiGroups: ['trace.binnacle.dev'], resources: ['explanations', 'hops'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    ]);
    const { preemption } = await cluster.get<PodExplanation>(path, { user: nora });
    assert.deepEqual(
      [preemption?.listed.map(({ node, victims, named }) => [node, victims, named.map(({ name }) => name)])],
      [[['n1', 2, ['mine']]]],
    );
    assert.deepEqual(preemption?.steps[1], { atMs: 3, what: 'withdrawn', times: 1 });
    for (const user of [ALICE, nora]) {
      const hops = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?type=decision`, { user });
      assert.doesNotMatch(JSON.stringify([hops, seen, preemption]), /merger/);
    }
  });

  test('components of other processes report; what is no report is refused, and only who may reports', async () => {
    await cluster.get(`POST ${PODS}`, { body: podNamed('reported', { spec: { nodeName: 'n1' } }) });
    const hop = {
      ...{ type: 'runtime', component: 'kubelet n1', title: 'start container', atMs: 5, durationMs: 2 },
      object: { group: '', resource: 'pods', namespace: 'default', name: 'reported' },
    };
    const report = { apiVersion: 'trace.binnacle.dev/v1', kind: 'HopReport', hops: [hop], dropped: 0 };
    const node: UserInfo = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
    const post = (body: unknown, user = node) =>
      cluster.send(`POST ${ROOT}/hopreports`, { user, body }) as Promise<{ code: number }>;
    assert.equal((await post(report)).code, 201);
    assert.equal((await post(report, ALICE)).code, 403);
    const bad: readonly unknown[] = [
      { ...report, kind: 'Pod' },
      { ...report, hops: {} },
      { ...report, hops: [null] },
      { ...report, hops: [{ ...hop, type: 'request' }] },
      { ...report, hops: [{ ...hop, atMs: 'x' }] },
      { ...report, hops: [{ ...hop, atMs: 1e300 }] },
      { ...report, hops: [{ ...hop, durationMs: 1e300 }] },
      { ...report, hops: [{ ...hop, revision: 'x' }] },
      { ...report, hops: [{ ...hop, detail: 'x' }] },
    ];
    for (const body of bad) assert.equal((await post(body)).code, 400, JSON.stringify(body));
    assert.equal((await post({ ...report, hops: Array.from({ length: 1001 }).fill(hop) })).code, 413);
    const ahead = { ...hop, atMs: 8e15, title: 'by a clock that is ahead' };
    assert.equal((await post({ ...report, hops: [ahead] })).code, 201);
    const all = await cluster.get<TraceHopList>(`GET ${ROOT}/hops?type=runtime`);
    const atMs = all.items.find(({ title }) => title === ahead.title)?.atMs;
    assert.ok(atMs !== undefined && atMs <= cluster.test.server.trace.now());
    const list = await cluster.get<TraceHopList>(`GET ${ROOT}/namespaces/default/hops?about=pods/reported`);
    const told = list.items.find(({ type }) => type === 'runtime');
    assert.deepEqual([told?.component, told?.user, told?.title], ['kubelet n1', 'system:node:n1', 'start container']);
  });

  test('decisions are told by schedulers, whole or not at all: no node speaks for them', async () => {
    const scheduler: UserInfo = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
    const node: UserInfo = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
    const object = { group: '', resource: 'pods', namespace: 'default', name: 'decided' };
    const hop = { ...{ type: 'decision', component: 'mine', title: 'decided', atMs: 5, durationMs: 2 }, object };
    const post = (user: UserInfo, detail?: unknown) => {
      const hops = [{ ...hop, ...(detail === undefined ? {} : { detail }) }];
      const body = { apiVersion: 'trace.binnacle.dev/v1', kind: 'HopReport', hops, dropped: 0 };
      return cluster.send(`POST ${ROOT}/hopreports`, { user, body }) as Promise<{ code: number }>;
    };
    const refused = { plugin: 'P', reasons: ['r'], nodes: 1, names: ['n'] };
    const scored = { node: 'n', total: 1, by: { P: 1 } };
    for (const detail of [
      ...[null, 5, 'x', {}, [refused], [null], ['x'], [{ ...refused, reasons: 'x' }]].map((odd) => ({ refused: odd })),
      ...[null, [{ ...scored, by: null }], [{ ...scored, total: 'x' }], [{ ...scored, by: { P: {} } }]].map((odd) => ({
        scored: odd,
      })),
      ...[{ node: {} }, { message: 5 }],
      ...ODD_PREEMPTIONS.map((odd) => ({ preemption: odd })),
    ]) {
      const isRight = 'refused' in detail && Array.isArray(detail.refused) && detail.refused[0] === refused;
      assert.equal((await post(scheduler, detail)).code, isRight ? 201 : 400, JSON.stringify(detail));
    }
    const told = { node: 'n', refused: [refused], scored: [scored], preemption: PREEMPTION };
    assert.equal((await post(scheduler, told)).code, 201);
    assert.equal((await post(node)).code, 403);
    assert.equal((await post(node, told)).code, 403);
    assert.equal((await post(scheduler)).code, 201);
  });

  test('discovery and OpenAPI know the group', async () => {
    const found = (await cluster.send(`GET ${ROOT}`)) as { body: string };
    const { resources } = JSON.parse(found.body) as { resources: { name: string; verbs: string[] }[] };
    assert.deepEqual(
      resources.map(({ name, verbs }) => `${name}: ${verbs.join(' ')}`),
      [
        'explanations: get list',
        'hopreports: create',
        'hops: list watch',
        'pauses: delete get list patch update watch',
        'revisions: list',
      ],
    );
    const reply = (await cluster.send('GET /openapi/v3/apis/trace.binnacle.dev/v1')) as { body: string };
    const { components } = JSON.parse(reply.body) as { components: { schemas: object } };
    assert.ok(Object.keys(components.schemas).some((name) => name.endsWith('.Hop')));
  });
});

test('a server that keeps no trace says so', async () => {
  const { server } = await startTestServer({ trace: false });
  const list = await server.clientAs(ADMIN).raw({ path: `${ROOT}/hops` });
  const { ring, items } = JSON.parse(await readReplyText(list)) as TraceHopList;
  assert.deepEqual([server.trace.on, ring.on, items], [false, false, []]);
});
