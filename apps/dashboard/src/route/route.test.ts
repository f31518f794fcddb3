import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formatRoute, listOf, parseMoment, parseRoute } from './route.ts';
import type { Route } from './route.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const ROWS: readonly (readonly [address: string, route: Route])[] = [
  ['/', { page: 'overview' }],
  ['/pauses', { page: 'pauses' }],
  ['/new/core/v1/pods?ns=a', { page: 'create', gvr: PODS, namespace: 'a' }],
  ['/lessons', { page: 'lessons', name: '' }],
  ['/lessons/a-node-that-dies', { page: 'lessons', name: 'a-node-that-dies' }],
  ['/topology', { page: 'topology', namespace: '' }],
  ['/topology?ns=a', { page: 'topology', namespace: 'a' }],
  ['/r/core/v1/pods', listOf(PODS)],
  [
    '/r/apps/v1/deployments?ns=a&q=b+c&labels=x%3Dy&since=5',
    { ...listOf(DEPLOYMENTS, 'a'), filter: 'b c', labels: 'x=y', since: '5' },
  ],
  [
    '/r/core/v1/pods?fields=spec.nodeName%3Da&sort=-Age&wide=true',
    { ...listOf(PODS), fields: 'spec.nodeName=a', sort: '-Age', isWide: true },
  ],
  ['/r/core/v1/pods/default/web', { page: 'object', gvr: PODS, namespace: 'default', name: 'web', tab: 'summary' }],
  ['/r/core/v1/pods/default/web/why', { page: 'object', gvr: PODS, namespace: 'default', name: 'web', tab: 'why' }],
  [
    '/r/core/v1/nodes/-/a%3Ab',
    { page: 'object', gvr: { ...PODS, resource: 'nodes' }, namespace: '', name: 'a:b', tab: 'summary' },
  ],
];

for (const [address, route] of ROWS) {
  test(address, () => {
    const { pathname, search } = new URL(address, 'http://a');
    deepEqual(parseRoute(pathname, search), route);
    equal(formatRoute(route), address);
  });
}

test('what is no address', () => {
  for (const path of ['/x', '/r', '/r/core/v1', '/r/core/v1/']) deepEqual(parseRoute(path, ''), { page: 'overview' });
});

test('a moment goes with any address', () => {
  const list: Route = listOf(PODS, 'a');
  equal(formatRoute(list, '12'), '/r/core/v1/pods?ns=a&at=12');
  equal(formatRoute({ page: 'overview' }, '12'), '/?at=12');
  deepEqual(['?at=12', '?at=0', '?at=x', '?at=1e9', ''].map(parseMoment), ['12', ...Array<undefined>(4)]);
});
