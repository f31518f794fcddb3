import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { runAdmission } from '../testing/admission.ts';
import { protectStorageInUse } from './storage-protection.ts';

const CASES: readonly (readonly [resource: string, before: readonly string[], after: readonly string[]])[] = [
  ['persistentvolumes', [], ['kubernetes.io/pv-protection']],
  ['persistentvolumeclaims', ['a'], ['a', 'kubernetes.io/pvc-protection']],
  ['persistentvolumeclaims', ['kubernetes.io/pvc-protection'], ['kubernetes.io/pvc-protection']],
  ['volumeattributesclasses.storage.k8s.io', [], ['kubernetes.io/vac-protection']],
  ['volumeattributesclasses', [], []],
  ['constructor', [], []],
];

for (const [resource, before, after] of CASES) {
  test(`${resource} with [${before.join()}]`, async () => {
    const object: KubeObject = { metadata: { name: 'x', finalizers: before } };
    await runAdmission(protectStorageInUse, { operation: 'CREATE', resource, object });
    assert.deepEqual(object.metadata.finalizers, after);
  });
}
