import { RESOURCES } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  aggregatedDocument,
  compareVersions,
  groupDocument,
  groupListDocument,
  groupNames,
  versionsOf,
} from './documents.ts';

test('versions in the order of preference', () => {
  const versions = ['v1alpha1', 'v1', 'foo', 'v2beta1', 'v11', 'v2', 'v2beta3'];
  assert.deepEqual(versions.sort(compareVersions), ['v11', 'v2', 'v1', 'v2beta3', 'v2beta1', 'v1alpha1', 'foo']);
  assert.deepEqual(versionsOf({ resources: RESOURCES, remotes: [] }, 'autoscaling'), ['v2', 'v1']);
});

test('the core group comes first, unknown groups last', () => {
  const base = RESOURCES.filter((info) => info.resource === 'pods' || info.resource === 'deployments');
  const [pods] = base;
  assert.ok(pods);
  const names = groupNames({
    resources: [...base, { ...pods, group: 'example.com' }, { ...pods, group: 'a.example.com' }],
    remotes: [],
  });
  assert.deepEqual(names, ['', 'apps', 'a.example.com', 'example.com']);
});

test('a group is found or not', () => {
  assert.deepEqual(groupDocument({ resources: RESOURCES, remotes: [] }, 'policy'), {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'policy',
    versions: [{ groupVersion: 'policy/v1', version: 'v1' }],
    preferredVersion: { groupVersion: 'policy/v1', version: 'v1' },
  });
  assert.equal(groupDocument({ resources: RESOURCES, remotes: [] }, ''), undefined);
  assert.equal(groupDocument({ resources: RESOURCES, remotes: [] }, 'none'), undefined);
});

test('the aggregated core document has one nameless group', () => {
  const document = aggregatedDocument({ resources: RESOURCES, remotes: [] }, '/api', 'v2beta1') as {
    apiVersion: string;
    items: { metadata: object; versions: { version: string; freshness: string }[] }[];
  };
  assert.equal(document.apiVersion, 'apidiscovery.k8s.io/v2beta1');
  assert.equal(document.items.length, 1);
  assert.deepEqual(document.items[0]?.metadata, {});
  assert.equal(document.items[0]?.versions[0]?.freshness, 'Current');
});

test('what there is to tell is looked at as often for each kind, however many groups there are', () => {
  const [base] = RESOURCES;
  assert.ok(base);
  const looksOf = (count: number): number => {
    let looks = 0;
    const resources = Array.from({ length: count }, (_, i) =>
      Object.defineProperty({ ...base }, 'group', { get: () => (looks++, `g${i}.example.com`) }),
    );
    const served = { resources, remotes: [] };
    aggregatedDocument(served, '/apis', 'v2');
    groupListDocument(served);
    return looks;
  };
  assert.equal(looksOf(400), 2 * looksOf(200));
});
