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

const named = (actions: readonly Action[], name: string): Action | undefined =>
  actions.find((action) => action.name === name);
const node = { group: '', resource: 'nodes', kind: 'Node', namespaced: false };
const PLACELESS = { namespace: undefined };

const SWITCHED: readonly (readonly [kind: object, spec: object, name: string, command: string, body: object])[] = [
  [
    { group: 'batch', resource: 'cronjobs' },
    { suspend: false },
    'suspend',
    `kubectl patch cronjobs.batch/a -n n --type=merge -p '{"spec":{"suspend":true}}'`,
    { suspend: true },
  ],
  [
    { group: 'batch', resource: 'jobs' },
    { suspend: true },
    'resume',
    `kubectl patch jobs.batch/a -n n --type=merge -p '{"spec":{"suspend":false}}'`,
    { suspend: false },
  ],
  [
    { group: 'apps', resource: 'deployments' },
    { template: {} },
    'pause',
    'kubectl rollout pause deployments.apps/a -n n',
    { paused: true },
  ],
  [
    { group: 'apps', resource: 'deployments' },
    { template: {}, paused: true },
    'resume',
    'kubectl rollout resume deployments.apps/a -n n',
    { paused: false },
  ],
];
for (const [kind, spec, name, command, body] of SWITCHED) {
  test(`${name}: ${command}`, async () => {
    const action = named(of(kind, spec), name);
    equal(action?.kubectl(''), command);
    deepEqual((await sentBy(action, '')).body, { spec: body });
  });
}

test('a node is closed and opened again, by the names that kubectl has for it', async () => {
  const rows = [
    [{}, 'cordon', { unschedulable: true }],
    [{ unschedulable: true }, 'uncordon', { unschedulable: false }],
  ] as const;
  for (const [spec, name, body] of rows) {
    const action = named(of(node, spec, PLACELESS), name);
    equal(action?.kubectl(''), `kubectl ${name} a`);
    const { path, body: sent } = await sentBy(action, '');
    deepEqual([path, sent], ['/api/v1/nodes/a?fieldManager=binnacle-dashboard', { spec: body }]);
  }
  equal(
    named(of(node, {}, PLACELESS), 'drain')?.kubectl(''),
    'kubectl drain a --ignore-daemonsets --delete-emptydir-data --force',
  );
});

test('a restart stamps the template, which is all that changes; what is itself the history has none', async () => {
  const restart = named(of({ group: 'apps', resource: 'statefulsets' }, { template: {} }), 'restart');
  deepEqual((await sentBy(restart, '')).body, {
    spec: {
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '1970-01-01T00:00:00.000Z' } } },
    },
  });
  equal(restart?.kubectl(''), 'kubectl rollout restart statefulsets.apps/a -n n');
  for (const kind of [
    { group: 'apps', resource: 'replicasets' },
    { group: 'custom.dev', resource: 'wheels' },
    { group: 'apps', resource: 'daemonsets', verbs: ['get', 'list'] },
  ]) {
    equal(named(of(kind, { template: {} }), 'restart'), undefined, JSON.stringify(kind));
  }
});

test('each is offered to who may do just that', () => {
  const wishes = (kind: object, spec: object): readonly string[] =>
    of(kind, spec).map(({ name, wish: { verb, group, resource, subresource = '', name: whose = '' } }) =>
      [name, verb, group, resource, subresource, whose].join(' '),
    );
  deepEqual(wishes({ group: 'custom.dev', resource: 'wheels', subresources: ['scale'] }, { suspend: false }), [
    'scale patch custom.dev wheels scale a',
    'suspend patch custom.dev wheels  a',
    'delete delete custom.dev wheels  a',
  ]);
  deepEqual(wishes(node, {}), ['cordon patch  nodes  a', 'drain create  pods eviction ', 'delete delete  nodes  a']);
  equal(wishes({ group: 'batch', resource: 'cronjobs' }, { jobTemplate: {} })[0], 'trigger create batch jobs  ');
});

test('a CronJob of somebody who calls it like a command runs none of it', () => {
  const cronJob = { group: 'batch', resource: 'cronjobs', kind: 'CronJob' };
  const trigger = named(of(cronJob, { jobTemplate: {} }, { name: '$(id)', namespace: '`id`' }), 'trigger');
  equal(trigger?.kubectl(''), `kubectl create job '$(id)-manual' --from='cronjob/$(id)' -n '\`id\`'`);
});
