import assert from 'node:assert/strict';
import test from 'node:test';
import { findKind, findResource, RESOURCES, RESOURCES_ON_REQUEST } from './resources.ts';
import { schemas } from './schemas.ts';

test('all GA resources are there, once, with a schema for the kind and its list', () => {
  const names = RESOURCES.map((r) => `${r.group}/${r.version}/${r.resource}`);
  assert.equal(names.length, 68);
  assert.equal(new Set(names).size, 68);
  assert.equal(RESOURCES.filter((r) => r.namespaced).length, 34);
  for (const info of RESOURCES) {
    assert.ok(schemas.struct(info.schema), info.schema);
    if (!info.virtual) assert.ok(schemas.struct(info.schema.replace(info.kind, info.listKind)), info.listKind);
  }
});

test('what is served on request stands aside, and is found like the rest', () => {
  assert.deepEqual(
    RESOURCES_ON_REQUEST.map(({ group, version, resource }) => `${group}/${version}/${resource}`),
    ['certificates.k8s.io/v1beta1/clustertrustbundles'],
  );
  for (const info of RESOURCES_ON_REQUEST) {
    assert.ok(schemas.struct(info.schema) && schemas.hasMessage(info.schema));
    assert.equal(findResource(info.group, info.version, info.resource), info);
    assert.equal(findKind(info.group, info.version, info.kind), info);
    assert.ok(!RESOURCES.includes(info));
  }
});

test('stored resources have distinct prefixes, except where two versions share one storage', () => {
  const shared = new Map<string, string[]>();
  for (const { group, resource, storagePrefix, virtual } of RESOURCES) {
    if (!virtual) shared.set(storagePrefix, [...(shared.get(storagePrefix) ?? []), `${resource}.${group}`]);
  }
  assert.deepEqual(
    [...shared.values()].filter((names) => names.length > 1),
    [
      ['events.', 'events.events.k8s.io'],
      ['horizontalpodautoscalers.autoscaling', 'horizontalpodautoscalers.autoscaling'],
    ],
  );
});

// Provenance: keys in upstream's etcd and its discovery documents.
const KNOWN: [group: string, version: string, resource: string, prefix: string, verbs: number, subresources: string][] =
  [
    [
      ...(['', 'v1', 'pods', 'pods', 8] as const),
      'attach binding ephemeralcontainers eviction exec log portforward proxy resize status',
    ],
    ['', 'v1', 'nodes', 'minions', 8, 'proxy status'],
    ['', 'v1', 'services', 'services/specs', 8, 'proxy status'],
    ['', 'v1', 'endpoints', 'services/endpoints', 8, ''],
    ['', 'v1', 'replicationcontrollers', 'controllers', 8, 'scale status'],
    ['', 'v1', 'namespaces', 'namespaces', 7, 'finalize status'],
    ['', 'v1', 'serviceaccounts', 'serviceaccounts', 8, 'token'],
    ['', 'v1', 'bindings', '', 1, ''],
    ['', 'v1', 'componentstatuses', '', 2, ''],
    ['events.k8s.io', 'v1', 'events', 'events', 8, ''],
    ['networking.k8s.io', 'v1', 'ingresses', 'ingress', 8, 'status'],
    ['authorization.k8s.io', 'v1', 'subjectaccessreviews', '', 1, ''],
  ];
for (const [group, version, resource, prefix, verbs, subresources] of KNOWN) {
  test(`${resource}.${group} is as upstream has it`, () => {
    const info = findResource(group, version, resource);
    assert.equal(info?.storagePrefix, prefix);
    assert.equal(info?.verbs.length, verbs);
    assert.equal(info?.subresources.map((s) => s.name).join(' '), subresources);
    assert.equal(info?.virtual, prefix === '');
  });
}

test('kinds are found, two versions of one storage know it, hashes are upstream’s', () => {
  assert.equal(findKind('apps', 'v1', 'Deployment')?.resource, 'deployments');
  assert.equal(findKind('autoscaling', 'v1', 'Scale'), undefined);
  assert.deepEqual(findKind('autoscaling', 'v1', 'HorizontalPodAutoscaler')?.storage, {
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
  });
  assert.deepEqual(findKind('events.k8s.io', 'v1', 'Event')?.storage, { group: '', version: 'v1', kind: 'Event' });
  assert.equal(findResource('', 'v1', 'pods')?.storageVersionHash, 'xPOwRZ+Yhw8=');
  assert.equal(findResource('', 'v1', 'services')?.storageVersionHash, '0/CO1lhkEBI=');
  assert.equal(findResource('', 'v1', 'pods')?.subresources.find((s) => s.name === 'eviction')?.group, 'policy');
});
