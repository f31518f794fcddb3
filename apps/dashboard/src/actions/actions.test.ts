import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { actionsOf } from './actions.ts';

const VERBS = ['get', 'list', 'patch', 'delete'];
const plain = { version: 'v1', namespaced: true, shortNames: [], categories: [], verbs: VERBS, subresources: [] };
const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
const of = (kind: object, spec: object) =>
  actionsOf(
    { ...plain, group: '', resource: 'x', kind: 'X', ...kind },
    { apiVersion: 'v1', kind: 'X', metadata, spec },
  );

test('actions follow from what a kind is made of', () => {
  const deployment = { group: 'apps', resource: 'deployments', subresources: ['status', 'scale'] };
  deepEqual(
    of(deployment, { template: {} }).map(({ name }) => name),
    ['scale', 'restart', 'pause', 'delete'],
  );
  deepEqual(
    of({ group: 'batch', resource: 'cronjobs' }, { suspend: true }).map(({ name }) => name),
    ['resume', 'delete'],
  );
  deepEqual(
    of({ group: '', resource: 'nodes' }, { unschedulable: true }).map(({ name }) => name),
    ['uncordon', 'delete'],
  );
  deepEqual(
    of({ verbs: ['get', 'list'] }, {}).map(({ name }) => name),
    [],
  );
});

test('what is done is said as a command too', () => {
  const [scale] = of({ group: 'apps', resource: 'deployments', subresources: ['scale'] }, {});
  equal(scale?.kubectl, 'kubectl scale deployments.apps/a -n n --replicas=N');
  deepEqual(scale?.call('3', 0), {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/n/deployments/a/scale?fieldManager=binnacle-dashboard',
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas: 3 } },
  });
  const remove = of({}, {}).at(-1);
  match(remove?.call('Foreground', 0).path ?? '', /propagationPolicy=Foreground$/);
});
