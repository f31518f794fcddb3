import { RESOURCES } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseForm, createDiscovery } from './discovery.ts';

const discovery = createDiscovery({ infos: RESOURCES, remotes: [], generation: 0 }, () => '127.0.0.1:6443');

interface Entry {
  name: string;
  shortNames?: string[];
  [key: string]: unknown;
}
function document(path: string, accept?: string): { [key: string]: unknown } {
  const reply = discovery.serve(path, accept);
  assert.ok(reply, path);
  return JSON.parse(reply.body) as { [key: string]: unknown };
}
function entry(path: string, name: string): Entry | undefined {
  return (document(path)['resources'] as Entry[]).find((resource) => resource.name === name);
}

// Provenance: answers of a kube-apiserver v1.36, in the parts that are the same everywhere.
test('/api and /apis name versions and groups', () => {
  assert.deepEqual(document('/api'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
  });
  const groups = document('/apis')['groups'] as Entry[];
  assert.equal(groups.length, 20);
  assert.deepEqual(groups[5], {
    name: 'autoscaling',
    versions: [
      { groupVersion: 'autoscaling/v2', version: 'v2' },
      { groupVersion: 'autoscaling/v1', version: 'v1' },
    ],
    preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
  });
  assert.equal(document('/apis/apps')['kind'], 'APIGroup');
});

test('/api/v1 lists resources and subresources', () => {
  assert.deepEqual(entry('/api/v1', 'pods'), {
    name: 'pods',
    singularName: 'pod',
    namespaced: true,
    kind: 'Pod',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['po'],
    categories: ['all'],
    storageVersionHash: 'xPOwRZ+Yhw8=',
  });
  assert.deepEqual(entry('/api/v1', 'pods/eviction'), {
    name: 'pods/eviction',
    singularName: '',
    namespaced: true,
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  });
  assert.deepEqual(entry('/api/v1', 'bindings'), {
    name: 'bindings',
    singularName: 'binding',
    namespaced: true,
    kind: 'Binding',
    verbs: ['create'],
  });
  assert.equal(document('/api/v1')['apiVersion'], undefined);
  assert.equal(document('/apis/apps/v1')['apiVersion'], 'v1');
});

test('the aggregated form', () => {
  const list = document('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  assert.equal(list['apiVersion'], 'apidiscovery.k8s.io/v2');
  const [apps] = (list['items'] as { metadata: { name: string }; versions: { resources: object[] }[] }[]).filter(
    (item) => item.metadata.name === 'apps',
  );
  assert.deepEqual(apps?.versions[0]?.resources[2], {
    resource: 'deployments',
    responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
    scope: 'Namespaced',
    singularResource: 'deployment',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: [
      {
        subresource: 'scale',
        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get', 'patch', 'update'],
      },
      {
        subresource: 'status',
        responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        verbs: ['get', 'patch', 'update'],
      },
    ],
  });
});

test('nothing is served for paths that are no documents', () => {
  for (const path of ['/api/v2', '/api/v1/pods', '/apis/none', '/apis/apps/v2', '/apis/apps/v1/x', '/other']) {
    assert.equal(discovery.serve(path, undefined), undefined, path);
  }
});

test('a document keeps its etag, and another document has another', () => {
  assert.equal(discovery.serve('/apis', undefined)?.etag, discovery.serve('/apis/', undefined)?.etag);
  assert.notEqual(discovery.serve('/apis', undefined)?.etag, discovery.serve('/api', undefined)?.etag);
});

const KUBECTL =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
for (const [accept, form] of [
  [undefined, 'plain'],
  ['application/json, */*', 'plain'],
  [KUBECTL, 'v2'],
  ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList', 'v2beta1'],
  ['application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json', 'plain'],
] as const) {
  test(`form for ${accept}`, () => assert.equal(chooseForm(accept), form));
}
