import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../api/request.ts';
import type { Action, ActionWorld } from './action.ts';
import { actionsOf } from './actions.ts';

const VERBS = ['get', 'list', 'patch', 'delete'];
const plain = { version: 'v1', namespaced: true, shortNames: [], categories: [], verbs: VERBS, subresources: [] };
const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
const of = (kind: object, spec: object, names: object = {}) =>
  actionsOf(
    { ...plain, group: '', resource: 'x', kind: 'X', ...kind },
    { apiVersion: 'v1', kind: 'X', metadata: { ...metadata, ...names }, spec },
  );

test('actions follow from what a kind is made of', () => {
  const deployment = { group: 'apps', resource: 'deployments', subresources: ['status', 'scale'] };
  deepEqual(
    of(deployment, { template: {} }).map(({ name }) => name),
    ['scale', 'restart', 'undo', 'pause', 'delete'],
  );
  deepEqual(
    of(deployment, { template: {}, paused: true }).map(({ name }) => name),
    ['scale', 'resume', 'delete'],
  );
  deepEqual(
    of({ group: 'batch', resource: 'cronjobs' }, { suspend: true }).map(({ name }) => name),
    ['resume', 'delete'],
  );
  deepEqual(
    of({ group: '', resource: 'nodes' }, { unschedulable: true }).map(({ name }) => name),
    ['uncordon', 'drain', 'delete'],
  );
  deepEqual(
    of({ verbs: ['get', 'list'] }, {}).map(({ name }) => name),
    [],
  );
});

async function sentBy(action: Action | undefined, answer: string): Promise<ApiRequest> {
  const sent: ApiRequest[] = [];
  const send = (call: ApiRequest): Promise<unknown> => Promise.resolve(sent.push(call));
  const world = { nowMs: 0, send, tell: () => undefined, wait: () => Promise.resolve() } as unknown as ActionWorld;
  await action?.act(answer, world);
  return sent[0] ?? { path: '' };
}

test('what is done is said as a command too', async () => {
  const [scale] = of({ group: 'apps', resource: 'deployments', subresources: ['scale'] }, {});
  equal(scale?.kubectl('3'), 'kubectl scale deployments.apps/a -n n --replicas=3');
  deepEqual(await sentBy(scale, '3'), {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/n/deployments/a/scale?fieldManager=binnacle-dashboard',
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas: 3 } },
  });
  const remove = of({}, {}).at(-1);
  match((await sentBy(remove, 'Foreground')).path, /propagationPolicy=Foreground$/);
  equal(remove?.kubectl('Orphan'), 'kubectl delete x/a -n n --cascade=orphan');
});

test('a CronJob runs once more, as its template says', async () => {
  const jobTemplate = { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { backoffLimit: 1 } };
  const trigger = of({ group: 'batch', resource: 'cronjobs', kind: 'CronJob' }, { jobTemplate }).find(
    ({ name }) => name === 'trigger',
  );
  equal(trigger?.kubectl(''), 'kubectl create job a-manual --from=cronjob/a -n n');
  deepEqual((await sentBy(trigger, '')).body, {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: {
      ...{ labels: { a: 'b' }, name: 'a-0', annotations: { c: 'd', 'cronjob.kubernetes.io/instantiate': 'manual' } },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'a', uid: 'u', controller: true }],
    },
    spec: { backoffLimit: 1 },
  });
});

for (const [name, job] of [
  ['a'.repeat(52), `${'a'.repeat(40)}-0`],
  [`${'a'.repeat(38)}.-b`, `${'a'.repeat(38)}-0`],
] as const) {
  test(`the job of ${name} has a name that is one`, async () => {
    const cronJob = { group: 'batch', resource: 'cronjobs', kind: 'CronJob' };
    const trigger = of(cronJob, { jobTemplate: {} }, { name }).find((action) => action.name === 'trigger');
    equal(((await sentBy(trigger, '')).body as { readonly metadata: { readonly name: string } }).metadata.name, job);
  });
}

test('whoever copies the command of a role that is called like a command runs none of it', () => {
  const role = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', kind: 'ClusterRole' };
  const remove = of(role, {}, { name: "x=background;$(id)'", namespace: undefined }).at(-1);
  equal(
    remove?.kubectl('Background'),
    `kubectl delete 'clusterroles.rbac.authorization.k8s.io/x=background;$(id)'\\''' --cascade=background`,
  );
});
