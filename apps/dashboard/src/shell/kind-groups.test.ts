import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { groupKinds } from './kind-groups.ts';

test('every kind stands somewhere, unknown groups among the custom ones', () => {
  const plain = { version: 'v1', namespaced: true, shortNames: [], categories: [], verbs: [], subresources: [] };
  const groups = groupKinds([
    { ...plain, group: '', resource: 'pods', kind: 'Pod' },
    { ...plain, group: 'apps', resource: 'deployments', kind: 'Deployment' },
    { ...plain, group: '', resource: 'constructor', kind: 'Odd' },
    { ...plain, group: 'constructor', resource: 'wheels', kind: 'Wheel' },
  ]);
  deepEqual(
    groups.map(({ group, resources }) => [group, ...resources.map(({ kind }) => kind)]),
    [
      ['workloads', 'Deployment', 'Pod'],
      ['cluster', 'Odd'],
      ['custom', 'Wheel'],
    ],
  );
});
