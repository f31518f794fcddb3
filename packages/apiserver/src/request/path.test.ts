import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePath } from './path.ts';

const ROWS: readonly [path: string, group: string, namespace: string, resource: string, name: string, rest: string][] =
  [
    ['/api/v1/pods', '', '', 'pods', '', ''],
    ['/api/v1/namespaces', '', '', 'namespaces', '', ''],
    ['/api/v1/namespaces/a', '', 'a', 'namespaces', 'a', ''],
    ['/api/v1/namespaces/a/status', '', 'a', 'namespaces', 'a', 'status'],
    ['/api/v1/namespaces/a/finalize', '', 'a', 'namespaces', 'a', 'finalize'],
    ['/api/v1/namespaces/a/pods', '', 'a', 'pods', '', ''],
    ['/api/v1/namespaces/a/status/x', '', 'a', 'status', 'x', ''],
    ['/api/v1/namespaces/a/pods/p/log', '', 'a', 'pods', 'p', 'log'],
    ['/api/v1/namespaces/a/bindings', '', 'a', 'bindings', '', ''],
    ['/apis/apps/v1/namespaces/a/deployments/d/scale', 'apps', 'a', 'deployments', 'd', 'scale'],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      'rbac.authorization.k8s.io',
      '',
      'clusterroles',
      'system:node',
      '',
    ],
  ];

for (const [path, group, namespace, resource, name, subresource] of ROWS) {
  test(path, () => {
    const found = parsePath(path);
    assert.deepEqual(
      [
        found.isResource,
        found.group,
        found.namespace,
        found.resource,
        found.name,
        found.subresource,
        found.legacyWatch,
      ],
      [true, group, namespace, resource, name, subresource, false],
    );
  });
}

for (const path of ['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/healthz/ping', '/version']) {
  test(`${path} is no resource`, () => assert.equal(parsePath(path).isResource, false));
}

test('legacy watch paths', () => {
  const found = parsePath('/api/v1/watch/namespaces/a/pods/p');
  assert.deepEqual([found.legacyWatch, found.namespace, found.resource, found.name], [true, 'a', 'pods', 'p']);
});

test('the rest after a subresource is kept, and a broken escape stays as it is', () => {
  assert.equal(parsePath('/api/v1/nodes/n/proxy/logs/a/b').rest, 'logs/a/b');
  assert.equal(parsePath('/api/v1/nodes/%zz').name, '%zz');
});
