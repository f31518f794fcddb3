import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, resourcesOf } from './discovery.ts';

test('the preferred version counts; what cannot be listed is left out', () => {
  const found = resourcesOf({
    metadata: { name: 'autoscaling' },
    versions: [
      {
        version: 'v2',
        resources: [
          {
            resource: 'horizontalpodautoscalers',
            responseKind: { kind: 'HorizontalPodAutoscaler' },
            scope: 'Namespaced',
            shortNames: ['hpa'],
            verbs: ['list', 'get'],
            subresources: [{ subresource: 'status' }],
          },
          { resource: 'reviews', scope: 'Cluster', verbs: ['create'] },
        ],
      },
      { version: 'v1', resources: [{ resource: 'horizontalpodautoscalers', scope: 'Namespaced', verbs: ['list'] }] },
    ],
  });
  deepEqual(
    found.map(({ version, kind, namespaced, subresources }) => ({ version, kind, namespaced, subresources })),
    [{ version: 'v2', kind: 'HorizontalPodAutoscaler', namespaced: true, subresources: ['status'] }],
  );
});

test('paths', () => {
  const pods = { group: '', version: 'v1', resource: 'pods', namespaced: true };
  const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles', namespaced: false };
  equal(pathOf(pods), '/api/v1/pods');
  equal(pathOf(pods, { namespace: 'a', name: 'b' }), '/api/v1/namespaces/a/pods/b');
  equal(
    pathOf(roles, { namespace: 'a', name: 'system:node' }),
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
  );
});
