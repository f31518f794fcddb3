import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { StatefulSet, StatefulSetSpec } from '@binnacle/api/apps/v1';
import type { PodTemplateSpec } from '@binnacle/api/core/v1';
import { claimsFor, podFor, revisionOfPod, withIdentity } from './identity.ts';

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const set = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  metadata: { name: 'db', namespace: 'ns', uid: 'u' },
  spec: { serviceName: 'svc', selector: { matchLabels: { app: 'db' } }, template, ...spec },
});
const claimTemplate = (name: string, metadata = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'] as const },
});

test('a pod is called, labelled and owned as its ordinal calls for', () => {
  const pod = podFor(set(), 3, { name: 'db-abc', template });
  assert.deepEqual(pod.metadata, {
    name: 'db-3',
    generateName: 'db-',
    namespace: 'ns',
    labels: {
      app: 'db',
      'statefulset.kubernetes.io/pod-name': 'db-3',
      'apps.kubernetes.io/pod-index': '3',
      'controller-revision-hash': 'db-abc',
    },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true, blockOwnerDeletion: true },
    ],
  });
  assert.deepEqual([pod.spec.hostname, pod.spec.subdomain, pod.spec.volumes], ['db-3', 'svc', []]);
});

test('what the template says stays, but for what tells a pod of a set', () => {
  const own: PodTemplateSpec = {
    metadata: {
      labels: { app: 'db', 'controller-revision-hash': 'x', 'apps.kubernetes.io/pod-index': '9', constructor: 'l' },
      annotations: { note: 'n' },
      finalizers: ['a/b'],
    },
    spec: { ...template.spec, hostname: 'mine', subdomain: 'mine' },
  };
  const { metadata, spec } = podFor(set(), 0, { name: 'r', template: own });
  assert.deepEqual([metadata.annotations, metadata.finalizers], [{ note: 'n' }, ['a/b']]);
  assert.deepEqual(metadata.labels, {
    app: 'db',
    constructor: 'l',
    'statefulset.kubernetes.io/pod-name': 'db-0',
    'apps.kubernetes.io/pod-index': '0',
    'controller-revision-hash': 'r',
  });
  assert.deepEqual([spec.hostname, spec.subdomain], ['db-0', 'svc']);
});

test('a claim’s volume stands in the place of the template’s of that name', () => {
  const volumes = [
    { name: 'data', emptyDir: {} },
    { name: 'tmp', emptyDir: {} },
  ];
  const own = { ...template, spec: { ...template.spec, volumes } };
  const { spec } = podFor(set({ volumeClaimTemplates: [claimTemplate('data')] }), 2, { name: 'r', template: own });
  assert.deepEqual(spec.volumes, [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-db-2', readOnly: false } },
    { name: 'tmp', emptyDir: {} },
  ]);
});

test('claims: all that their template says, the selector’s labels over its own', () => {
  const metadata = {
    labels: { app: 'x', tier: 't' },
    annotations: { note: 'n' },
    finalizers: ['a/b'],
    namespace: 'other',
  };
  const claims = claimsFor(set({ volumeClaimTemplates: [claimTemplate('data', metadata), claimTemplate('log')] }), 1);
  assert.deepEqual(
    claims.map(({ template: name, claim }) => [name, claim.metadata]),
    [
      [
        'data',
        {
          name: 'data-db-1',
          namespace: 'ns',
          labels: { app: 'db', tier: 't' },
          annotations: { note: 'n' },
          finalizers: ['a/b'],
        },
      ],
      ['log', { name: 'log-db-1', namespace: 'ns', labels: { app: 'db' } }],
    ],
  );
  assert.deepEqual(claims[0]?.claim.spec, { accessModes: ['ReadWriteOnce'] });
  assert.deepEqual(claimsFor(set(), 1), []);
});

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const right = { [POD_NAME]: 'db-1', [POD_INDEX]: '1' };
for (const [name, labels, expected] of [
  ['they are right', { app: 'db', ...right }, undefined],
  ['none at all', undefined, right],
  ['the index is not there, as before v1.28', { [POD_NAME]: 'db-1' }, right],
  ['of another pod', { app: 'db', [POD_NAME]: 'db-0', [POD_INDEX]: '0' }, { app: 'db', ...right }],
] as const)
  test(`labels that tell the pod: ${name}`, () => {
    const pod = { metadata: { name: 'db-1', ...(labels === undefined ? {} : { labels }) }, spec: { containers: [] } };
    const made = withIdentity(pod);
    if (expected === undefined) assert.equal(made, pod);
    else assert.deepEqual(made.metadata.labels, expected);
  });

test('the revision that a pod was made from', () => {
  assert.equal(
    revisionOfPod({ metadata: { labels: { 'controller-revision-hash': 'r' } }, spec: { containers: [] } }),
    'r',
  );
  assert.equal(revisionOfPod({ metadata: {}, spec: { containers: [] } }), '');
});
