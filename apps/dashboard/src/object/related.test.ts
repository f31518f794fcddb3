import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { mentionsOf, ownersOf } from './related.ts';

const metadata = { name: 'a', uid: 'a', resourceVersion: '1' };

test('what a pod names, each once, by its field', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      nodeName: 'n',
      serviceAccountName: 'default',
      imagePullSecrets: [{ name: 'pull' }],
      volumes: [
        { name: 'v', configMap: { name: 'm' } },
        { name: 'w', persistentVolumeClaim: { claimName: 'c' } },
      ],
      containers: [{ name: 'x', env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } }] }],
    },
  };
  deepEqual(
    mentionsOf(pod).map(({ field, resource, name }) => `${field} → ${resource}/${name}`),
    [
      'spec.imagePullSecrets.name → secrets/pull',
      'spec.nodeName → nodes/n',
      'spec.serviceAccountName → serviceaccounts/default',
      'spec.volumes.configMap.name → configmaps/m',
      'spec.volumes.persistentVolumeClaim.claimName → persistentvolumeclaims/c',
    ],
  );
});

test('owners; objects that have none', () => {
  deepEqual(ownersOf({ metadata }), []);
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u' };
  deepEqual(ownersOf({ metadata: { ...metadata, ownerReferences: [owner] } as typeof metadata }), [owner]);
  equal(mentionsOf({ apiVersion: 'v1', kind: 'A', metadata }).length, 0);
});

test('classes of other groups, what an Ingress leads to, and what a volume is put together of', () => {
  const spec = {
    ...{
      ingressClassName: 'front',
      storageClassName: 'fast',
      priorityClassName: 'high',
      runtimeClassName: 'sandboxed',
    },
    rules: [{ http: { paths: [{ backend: { service: { name: 'web', port: { name: 'http' } } } }] } }],
    volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'm' } }] } }],
  };
  deepEqual(
    mentionsOf({ apiVersion: 'v1', kind: 'X', metadata, spec }).map(
      ({ group, resource, name, namespaced }) => `${group} ${resource} ${name} ${namespaced}`,
    ),
    [
      'networking.k8s.io ingressclasses front false',
      'scheduling.k8s.io priorityclasses high false',
      ' services web true',
      'node.k8s.io runtimeclasses sandboxed false',
      'storage.k8s.io storageclasses fast false',
      ' configmaps m true',
      ' secrets s true',
    ],
  );
});

test('names that are no texts, empty, or of what nobody knows are none', () => {
  const spec = {
    nodeName: '',
    serviceAccountName: 7,
    secretRef: { name: null },
    constructor: { name: 'x' },
    name: 'y',
  };
  deepEqual(mentionsOf({ apiVersion: 'v1', kind: 'X', metadata, spec }), []);
});
