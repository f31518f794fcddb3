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
