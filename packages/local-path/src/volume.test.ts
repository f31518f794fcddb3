import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { FINALIZER } from './names.ts';
import { volumeFor } from './volume.ts';

test('a volume says whose it is, where it is, and what becomes of it', () => {
  const claim = {
    metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '7' },
    spec: { accessModes: ['ReadWriteOncePod' as const], storageClassName: 'local-path' },
  };
  const storage = { metadata: { name: 'local-path' }, provisioner: 'x', reclaimPolicy: 'Retain' as const };
  const { metadata, spec } = volumeFor(claim, storage, { root: '/r', node: 'n', hostname: 'h' });
  assert.deepEqual(metadata.finalizers, [FINALIZER]);
  assert.deepEqual(
    [metadata.name, spec.local?.path, spec.persistentVolumeReclaimPolicy, spec.storageClassName, spec.accessModes],
    ['pvc-u', '/r/pvc-u', 'Retain', 'local-path', ['ReadWriteOncePod']],
  );
  assert.equal(spec.claimRef?.resourceVersion, '7');
});
