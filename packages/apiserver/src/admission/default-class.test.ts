import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { Ingress } from '@binnacle/api/networking/v1';
import { runAdmission } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-class.ts';

function cacheWith(resource: string, group: string, annotation: string): MemoryCache {
  const cache = new MemoryCache();
  const put = (name: string, creationTimestamp: string, value: string): void =>
    cache.put({ group, resource }, { metadata: { name, creationTimestamp, annotations: { [annotation]: value } } });
  put('old', '2026-01-01T00:00:00Z', 'true');
  put('new', '2026-01-02T00:00:00Z', 'true');
  put('newest', '2026-01-03T00:00:00Z', 'false');
  return cache;
}

test('a claim without a class gets the newest default; an empty name is an answer', async () => {
  const plugin = createDefaultStorageClass(
    cacheWith('storageclasses', 'storage.k8s.io', 'storageclass.kubernetes.io/is-default-class'),
  );
  const classes: unknown[] = [];
  for (const spec of [{}, { storageClassName: '' }, { storageClassName: 'mine' }]) {
    const object = { metadata: { name: 'c' }, spec } as PersistentVolumeClaim;
    await runAdmission(plugin, { operation: 'CREATE', resource: 'persistentvolumeclaims', object });
    classes.push(object.spec?.storageClassName);
  }
  assert.deepEqual(classes, ['new', '', 'mine']);
});

test('an ingress without a class gets the newest default, unless its old annotation names one', async () => {
  const plugin = createDefaultIngressClass(
    cacheWith('ingressclasses', 'networking.k8s.io', 'ingressclass.kubernetes.io/is-default-class'),
  );
  const plain = { metadata: { name: 'i' }, spec: {} } as Ingress;
  const old = { metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } }, spec: {} } as Ingress;
  for (const object of [plain, old]) {
    await runAdmission(plugin, { operation: 'CREATE', resource: 'ingresses.networking.k8s.io', object });
  }
  assert.deepEqual([plain.spec?.ingressClassName, old.spec?.ingressClassName], ['new', undefined]);
});
