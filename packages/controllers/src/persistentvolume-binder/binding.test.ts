import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import { claimBoundTo, claimInPhase, volumeBoundTo, volumeInPhase, volumeUnbound } from './binding.ts';

const claim: PersistentVolumeClaim = {
  metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '5' },
  spec: {},
};
const volume: PersistentVolume = {
  metadata: { name: 'v' },
  spec: { capacity: { storage: '2Gi', other: '1' }, accessModes: ['ReadWriteOnce'] },
};
const BY = 'pv.kubernetes.io/bound-by-controller';
const DONE = 'pv.kubernetes.io/bind-completed';

test('a volume that the controller chose says so and is anybody’s again; one that a user kept stays kept', () => {
  const chosen = volumeBoundTo(volume, claim);
  assert.deepEqual(chosen.spec.claimRef, {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    name: 'c',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '5',
  });
  assert.deepEqual(chosen.metadata.annotations, { [BY]: 'yes' });
  assert.equal(volumeBoundTo(chosen, claim), chosen);
  assert.deepEqual(volumeUnbound(chosen).spec, volume.spec);
  assert.deepEqual(volumeUnbound(chosen).metadata.annotations, {});
  const kept = { ...volume, spec: { ...volume.spec, claimRef: { namespace: 'ns', name: 'c' } } };
  const bound = volumeBoundTo(kept, claim);
  assert.equal(bound.spec.claimRef?.uid, 'u');
  assert.equal(bound.metadata.annotations, undefined);
  const { uid, resourceVersion, name } = volumeUnbound(bound).spec.claimRef ?? {};
  assert.deepEqual([uid, resourceVersion, name], [undefined, undefined, 'c']);
});

test('a claim says which volume it has, and whether it was chosen for it', () => {
  const chosen = claimBoundTo(claim, volume);
  assert.equal(chosen.spec.volumeName, 'v');
  assert.deepEqual(chosen.metadata.annotations, { [DONE]: 'yes', [BY]: 'yes' });
  assert.equal(claimBoundTo(chosen, volume), chosen);
  const named = claimBoundTo({ ...claim, spec: { volumeName: 'v' } }, volume);
  assert.deepEqual(named.metadata.annotations, { [DONE]: 'yes' });
});

test('a claim gets the size of its volume when it becomes bound, and keeps its own later', () => {
  const bound = claimInPhase(claim, 'Bound', volume);
  assert.deepEqual(bound.status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } });
  const grown = { ...volume, spec: { ...volume.spec, capacity: { storage: '4Gi' } } };
  assert.deepEqual(claimInPhase(bound, 'Bound', grown).status?.capacity, { storage: '2Gi' });
  assert.deepEqual(claimInPhase(bound, 'Lost').status, { phase: 'Lost' });
});

test('a phase that is there is not said again; a message goes with its phase', () => {
  const failed = volumeInPhase(volume, { phase: 'Failed', message: 'why' });
  assert.deepEqual(failed.status, { phase: 'Failed', message: 'why' });
  assert.equal(volumeInPhase(failed, { phase: 'Failed', message: 'other' }), failed);
  assert.deepEqual(volumeInPhase(failed, { phase: 'Available' }).status, { phase: 'Available' });
});
