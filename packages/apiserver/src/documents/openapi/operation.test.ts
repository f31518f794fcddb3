import { findResource, RESOURCES } from '@binnacle/api';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { pathsOf, queryType } from './operation.ts';

function rows(group: string, resource: string): string[] {
  const info = findResource(group, 'v1', resource);
  assert.ok(info);
  return pathsOf(info).map((path) => `${path.path} ${path.operations.map((o) => `${o.method}:${o.action}`).join(' ')}`);
}

interface Fact {
  readonly kind: string;
  readonly ops: { readonly [method: string]: string };
}

test('every path and action of the GA groups in the table of facts, and no other', () => {
  const file = new URL('../../../../../tools/gen/facts/api-paths-v1.36.json', import.meta.url);
  const facts = JSON.parse(readFileSync(file, 'utf8')) as { readonly [path: string]: Fact };
  const expected = Object.entries(facts)
    .filter(([path]) => /^\/(api|apis\/[^/]+)\/v\d+\//.test(path))
    .flatMap(([path, { ops }]) =>
      Object.entries(ops)
        .filter(([method]) => method !== 'head' && method !== 'options')
        .map(([method, action]) => `${path} ${method} ${action}`),
    );
  const ours = RESOURCES.flatMap(pathsOf).flatMap((path) =>
    path.operations.map((operation) => `${path.path} ${operation.method} ${operation.action}`),
  );
  assert.deepEqual(ours.toSorted(), expected.toSorted());
});

// Provenance: the paths of upstream's swagger v1.36.
test('a namespaced resource with subresources', () => {
  const at = '/apis/apps/v1/namespaces/{namespace}/deployments';
  assert.deepEqual(rows('apps', 'deployments'), [
    '/apis/apps/v1/deployments get:list',
    `${at} get:list post:post delete:deletecollection`,
    `${at}/{name} get:get put:put patch:patch delete:delete`,
    `${at}/{name}/scale get:get put:put patch:patch`,
    `${at}/{name}/status get:get put:put patch:patch`,
  ]);
});

test('a cluster-wide resource, a review, and the namespaces themselves', () => {
  assert.deepEqual(rows('', 'nodes').slice(0, 2), [
    '/api/v1/nodes get:list post:post delete:deletecollection',
    '/api/v1/nodes/{name} get:get put:put patch:patch delete:delete',
  ]);
  assert.deepEqual(rows('authentication.k8s.io', 'tokenreviews'), [
    '/apis/authentication.k8s.io/v1/tokenreviews post:post',
  ]);
  assert.deepEqual(rows('', 'namespaces'), [
    '/api/v1/namespaces get:list post:post',
    '/api/v1/namespaces/{name} get:get put:put patch:patch delete:delete',
    '/api/v1/namespaces/{name}/finalize put:put',
    '/api/v1/namespaces/{name}/status get:get put:put patch:patch',
  ]);
});

test('connections and creations below a pod', () => {
  const pods = rows('', 'pods');
  const at = '/api/v1/namespaces/{namespace}/pods/{name}';
  for (const row of [
    `${at}/exec post:connect get:connect`,
    `${at}/log get:get`,
    `${at}/eviction post:post`,
    `${at}/binding post:post`,
  ]) {
    assert.ok(pods.includes(row), row);
  }
});

test('types of query parameters', () => {
  assert.equal(queryType('watch'), 'boolean');
  assert.equal(queryType('limit'), 'integer');
  assert.equal(queryType('labelSelector'), 'string');
});
