/** Who sees what of the trace, and who may say what in it. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { UserInfo } from '@binnacle/machinery';
import type { PastRevision, PastRevisionList, TraceHop, TraceHopList } from '@binnacle/trace';
import type { Reply } from '../catalogue/definition.ts';
import { ADMIN, ALICE, ROOT, startTraced } from '../testing/traced-server.ts';
import type { TracedServer } from '../testing/traced-server.ts';
import { podNamed } from '../testing/test-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const HERE = `GET ${ROOT}/namespaces/default/hops`;
const MAKER: UserInfo = { name: 'maker', groups: ['system:authenticated'] };
const nodeUser = (name: string): UserInfo => ({
  name: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});

describe('what the trace tells of requests', () => {
  let cluster: TracedServer;
  before(async () => {
    cluster = await startTraced();
    const trace = { apiGroups: ['trace.binnacle.dev'], resources: ['hops', 'revisions'], verbs: ['list'] };
    await cluster.allow(MAKER, [trace, { apiGroups: [''], resources: ['secrets'], verbs: ['create'] }]);
  });

  test('who may make Secrets and not read them does not learn from refusals which there are', async () => {
    const secret = { body: { metadata: { name: 'merger-with-acme' } } };
    await cluster.send(`POST ${SECRETS}`, secret);
    const again = await cluster.send(`POST ${SECRETS}`, secret);
    assert.equal((again as { code: number }).code, 409);
    const seen = await cluster.get<TraceHopList>(`${HERE}?limit=5000`, { user: MAKER });
    assert.doesNotMatch(JSON.stringify(seen), /merger/);
    const told = await cluster.get<TraceHopList>(`${HERE}?limit=5000`);
    const refused = told.items.find(({ type, error }) => type === 'request' && error?.includes('already exists'));
    assert.equal(refused?.object?.name, 'merger-with-acme', 'who may read it sees it');
  });

  test('a refused create is in the story of its name, for who may read that', async () => {
    const map = { body: { metadata: { name: 'twice' } } };
    await cluster.send(`POST ${MAPS}`, map);
    await cluster.send(`POST ${MAPS}`, map);
    const seen = await cluster.get<TraceHopList>(`${HERE}?about=configmaps/twice`, { user: ALICE });
    const codes = seen.items.filter(({ type }) => type === 'request').map(({ detail }) => detail?.['code']);
    assert.deepEqual(codes, [201, 409]);
  });

  test('names in bodies that are none are no names', async () => {
    for (const name of ['x'.repeat(300), 5, { a: 1 }]) {
      await cluster.send(`POST ${MAPS}`, { body: { metadata: { name } } });
    }
    const { items } = await cluster.get<TraceHopList>(`${HERE}?limit=5000`);
    assert.ok(
      items.every(({ object }) => typeof (object?.name ?? '') === 'string' && (object?.name ?? '').length < 254),
    );
  });

  test('who really called is told of what was done as somebody else, as the audit log tells it', async () => {
    const headers = [['impersonate-user', 'jane'] as const, ['impersonate-group', 'system:masters'] as const];
    await cluster.send(`POST ${MAPS}`, { body: { metadata: { name: 'as-jane' } }, headers });
    const { items } = await cluster.get<TraceHopList>(`${HERE}?about=configmaps/as-jane`, { user: ALICE });
    const request = items.find(({ type }) => type === 'request');
    assert.deepEqual([request?.user, request?.impersonatedUser], ['admin', 'jane']);
    const path = `GET ${ROOT}/namespaces/default/revisions?about=configmaps/as-jane`;
    const [revision] = (await cluster.get<PastRevisionList>(path, { user: ALICE })).items;
    assert.deepEqual([revision?.user, revision?.impersonatedUser], ['admin', 'jane']);
    await cluster.send(`POST ${MAPS}`, { body: { metadata: { name: 'as-himself' } } });
    const own = await cluster.get<TraceHopList>(`${HERE}?about=configmaps/as-himself`);
    assert.ok(own.items.length > 0 && own.items.every((hop) => !('impersonatedUser' in hop)));
  });

  test('secrets in queries and behind proxies do not enter the trace', async () => {
    for (const line of [
      `GET ${PODS}/p/proxy/login;jsessionid=hunter4/x`,
      `GET ${PODS}/p/proxy/reset%3Ftoken=hunter4`,
      `GET ${PODS}/p/proxy/reset/0123456789abcdefhunter4`,
      `GET /api/v1/namespaces/default/services/s/proxy/token=hunter4`,
      `GET /api/v1/nodes/n/proxy/logs?access_token=hunter4`,
      `GET ${PODS}?access_token=hunter4&limit=1`,
      `GET ${PODS}?X-Amz-Signature=hunter4`,
      `GET ${PODS}?%70assword=hunter4`,
      `GET ${PODS}?watch=true&timeoutSeconds=1&client_secret=hunter4`,
      `POST ${PODS}/p/exec?command=hunter4`,
      `GET /nowhere?token=hunter4`,
    ]) {
      await cluster.send(line);
    }
    const rows = [...cluster.recorder.before(Infinity)];
    assert.ok(rows.length > 10);
    assert.doesNotMatch(JSON.stringify(rows), /hunter4/);
    const { items } = await cluster.get<TraceHopList>(`GET ${ROOT}/hops?limit=5000`);
    const listed = items.find(({ detail }) => (detail?.['query'] as { limit?: string } | undefined)?.limit === '1');
    assert.deepEqual(listed?.detail?.['query'], { access_token: '<masked>', limit: '1' });
    assert.ok(items.some(({ title }) => title === `GET ${PODS}/p/proxy/login/x`));
  });

  test('a step that was due for a while comes behind its wait, which has its cause', async () => {
    const { recorder } = cluster;
    const object = { group: '', resource: 'configmaps', namespace: 'default', name: 'synced' };
    const step = { kind: 'reconcile', component: 'c', name: 'sync it', durationMs: 1, object } as const;
    recorder.record({ ...step, id: 'waited', startedAt: 5_000, waitedMs: 40, revision: '1' });
    recorder.record({ ...step, startedAt: 6_000, revision: '1' });
    const { items } = await cluster.get<TraceHopList>(`${HERE}?about=configmaps/synced`);
    const [wait, waited, other] = items;
    assert.deepEqual(
      items.map(({ type, atMs, durationMs }) => [type, atMs, durationMs]),
      [
        ['queue', 4_960, 40],
        ['reconcile', 5_000, 1],
        ['reconcile', 6_000, 1],
      ],
    );
    assert.deepEqual(waited?.cause, { type: 'hop', hop: wait?.metadata.name });
    assert.deepEqual(wait?.cause, other?.cause);
    const queues = await cluster.get<TraceHopList>(`${HERE}?about=configmaps/synced&type=queue`);
    assert.deepEqual(queues.items, [wait]);
  });

  test('types of hops that are none are refused with those that there are', async () => {
    for (const query of ['type=bogus', 'type=commit,bogus', 'type=constructor', 'type=bogus&watch=true', 'type=,']) {
      const reply = (await cluster.send(`GET ${ROOT}/hops?${query}`)) as { code: number; object: { message: string } };
      assert.equal(reply.code, 400, query);
      assert.match(reply.object.message, /commit.*delivery.*queue/);
    }
  });

  test('revisions without an object are the latest writes that the viewer may see', async () => {
    await cluster.send(`POST ${MAPS}`, { body: { metadata: { name: 'listed' } } });
    await cluster.send(`POST ${SECRETS}`, { body: { metadata: { name: 'unlisted' } } });
    const path = `GET ${ROOT}/namespaces/default/revisions`;
    const reply = (await cluster.send(path, { user: ALICE })) as Extract<Reply, { kind: 'object' }>;
    const list = reply.object as PastRevisionList;
    const found = list.items.find(({ about }) => about.name === 'listed');
    assert.deepEqual(
      [found?.type, found?.user, found?.request, found?.object],
      ['ADDED', 'admin', `POST ${MAPS}`, undefined],
    );
    assert.doesNotMatch(JSON.stringify(list), /unlisted|rolebindings/);
    const row = reply.columns?.row(found as PastRevision & { metadata: { name: string } }, 0);
    assert.deepEqual(row, [found?.revision, 'ADDED', 'configmaps/listed', 'admin', `POST ${MAPS}`]);
    const names: string[] = [];
    for (let token = ''; ;) {
      const page: PastRevisionList = await cluster.get(`${path}?limit=2${token === '' ? '' : `&continue=${token}`}`);
      names.push(...page.items.map(({ revision }) => revision));
      token = page.metadata.continue ?? '';
      if (token === '') break;
    }
    const all = await cluster.get<PastRevisionList>(path);
    assert.deepEqual(names.toSorted(), all.items.map(({ revision }) => revision).toSorted());
    const everywhere = await cluster.send(`GET ${ROOT}/revisions`, { user: ALICE });
    assert.equal((everywhere as { code: number }).code, 403);
  });

  test('every resource answers each verb as discovery says it does', async () => {
    const found = (await cluster.send(`GET ${ROOT}`)) as { body: string };
    const { resources } = JSON.parse(found.body) as {
      resources: { name: string; namespaced: boolean; verbs: string[] }[];
    };
    const asked = {
      list: (root: string) => `GET ${root}`,
      watch: (root: string) => `GET ${root}?watch=true`,
      get: (root: string) => `GET ${root}/x`,
      delete: (root: string) => `DELETE ${root}/x`,
      deletecollection: (root: string) => `DELETE ${root}`,
      update: (root: string) => `PUT ${root}/x`,
      patch: (root: string) => `PATCH ${root}/x`,
      create: (root: string) => `POST ${root}`,
    };
    for (const { name, namespaced, verbs } of resources) {
      for (const [verb, lineOf] of Object.entries(asked)) {
        for (const root of namespaced
          ? [`${ROOT}/${name}`, `${ROOT}/namespaces/default/${name}`]
          : [`${ROOT}/${name}`]) {
          if (root === `${ROOT}/${name}` && namespaced && !['list', 'watch', 'create'].includes(verb)) continue;
          const reply = await cluster.send(lineOf(root), { body: {} });
          const code = 'code' in reply ? reply.code : 200;
          if (reply.kind === 'stream') reply.cancel();
          if (!verbs.includes(verb)) assert.equal(code, 405, `${verb} ${root}`);
          else
            assert.ok(
              code < 300 ||
                (['get', 'delete', 'update', 'patch'].includes(verb) && code === 404) ||
                (code === 400 && verb === 'create'),
              `${verb} ${root}: ${code}`,
            );
        }
      }
    }
  });
});

describe('what nodes report', () => {
  let cluster: TracedServer;
  const pod = (name: string): object => ({ group: '', resource: 'pods', namespace: 'default', name });
  const hop = (object?: object, more: object = {}): object => ({
    ...{ type: 'runtime', component: 'runtime n1', title: 'start container', atMs: 5, durationMs: 2 },
    ...(object === undefined ? {} : { object }),
    ...more,
  });
  /** How many of the hops the server took. */
  async function taken(node: string, ...hops: readonly object[]): Promise<number> {
    const before = cluster.recorder.seq;
    const body = { apiVersion: 'trace.binnacle.dev/v1', kind: 'HopReport', hops, dropped: 0 };
    const reply = await cluster.get<{ dropped: number }>(`POST ${ROOT}/hopreports`, { user: nodeUser(node), body });
    const told = [...cluster.recorder.after(before)].filter(({ kind }) => kind === 'component').length;
    assert.equal(reply.dropped, hops.length - told, 'what is not taken is said');
    return told;
  }

  before(async () => {
    cluster = await startTraced();
    for (const [name, nodeName] of [
      ['mine', 'n1'],
      ['yours', 'n2'],
    ]) {
      await cluster.get(`POST ${PODS}`, { body: podNamed(name ?? '', { spec: { nodeName } }) });
    }
    await cluster.get(`POST ${PODS}`, { body: podNamed('nobodys') });
  });

  test('of their own pods and of themselves', async () => {
    const own = { group: '', resource: 'nodes', name: 'n1' };
    const event = { type: 'event', component: 'kubelet n1' };
    const kubelet = { type: 'kubelet', component: 'kubelet n1' };
    assert.equal(await taken('n1', hop(pod('mine')), hop(pod('mine'), kubelet), hop(own, event), hop()), 4);
  });

  test('not of pods of others, of none, or of anything else', async () => {
    const secret = { group: '', resource: 'secrets', namespace: 'default', name: 's' };
    const other = { group: '', resource: 'nodes', name: 'n2' };
    assert.equal(await taken('n1', hop(pod('yours')), hop(pod('nobodys')), hop(secret), hop(other)), 0);
    assert.equal(await taken('n1', hop(pod('yours')), hop(pod('mine')), hop(pod('yet-to-come'))), 1);
    const story = await cluster.get<TraceHopList>(`${HERE}?about=pods/yours`);
    assert.ok(story.items.every(({ type }: TraceHop) => type !== 'runtime'));
  });

  test('of a pod that is gone, where it was theirs, and of a static pod that has no mirror yet', async () => {
    assert.equal(await taken('n1', hop(pod('mine'))), 1);
    await cluster.send(`DELETE ${PODS}/mine?gracePeriodSeconds=0`);
    await cluster.send(`DELETE ${PODS}/yours?gracePeriodSeconds=0`);
    assert.equal(((await cluster.send(`GET ${PODS}/mine`)) as { code: number }).code, 404);
    assert.equal(await taken('n1', hop(pod('mine')), hop(pod('yours')), hop(pod('etcd-n1')), hop(pod('etcd-n2'))), 2);
  });

  test('in no name but their own, and with no name that is the cause of what others do', async () => {
    assert.equal(
      await taken(
        'n1',
        hop(undefined, { type: 'reconcile', component: 'replication-controller' }),
        hop(undefined, { component: 'runtime n2' }),
        hop(undefined, { type: 'event', component: 'replication-controller' }),
        hop(undefined, { id: 'replication-controller/default/frontend@7' }),
      ),
      0,
    );
  });

  test('a node without a name reports nothing', async () => {
    assert.equal(await taken('', hop(), hop(pod('nobodys'))), 0);
  });

  test('who is no node reports of all', async () => {
    const manager: UserInfo = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
    const hops = [hop(pod('nobodys'), { type: 'reconcile', component: 'job-controller', id: 'x' })];
    const body = { apiVersion: 'trace.binnacle.dev/v1', kind: 'HopReport', hops, dropped: 3 };
    const reply = await cluster.get<{ dropped: number }>(`POST ${ROOT}/hopreports`, { user: manager, body });
    assert.equal(reply.dropped, 3);
    assert.ok(ADMIN.groups.length > 0);
  });
});
