import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/core-v1.ts';
import { volumeKeptFor, volumeMismatch, volumesForClaim } from './matching.ts';

const claim: PersistentVolumeClaim = {
  metadata: { name: 'c', namespace: 'ns', uid: 'u' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    resources: { requests: { storage: '5Gi' } },
    selector: { matchLabels: { tier: 'gold' } },
  },
};

const volume = (name: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume => ({
  metadata: { name, labels: { tier: 'gold' } },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
    storageClassName: 'fast',
    ...spec,
  },
  status: { phase: 'Available' },
});

test('of the volumes that fit, those kept for the claim come first, then the smallest', () => {
  const volumes = [
    volume('large', { capacity: { storage: '20Gi' } }),
    volume('exact', { capacity: { storage: '5Gi' } }),
    volume('kept', { capacity: { storage: '1Ti' }, claimRef: { namespace: 'ns', name: 'c' } }),
    volume('small', { capacity: { storage: '4Gi' } }),
    volume('block', { volumeMode: 'Block' }),
    volume('shared', { accessModes: ['ReadWriteMany'] }),
    volume('slow', { storageClassName: 'slow' }),
    volume('others', { claimRef: { namespace: 'ns', name: 'other' } }),
    volume('gold', { volumeAttributesClassName: 'gold' }),
    { ...volume('unready'), status: { phase: 'Pending' as const } },
    { ...volume('unlabelled'), metadata: { name: 'unlabelled' } },
    { ...volume('going'), metadata: { name: 'going', deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ];
  const fitting = volumesForClaim(claim, volumes).map((one) => one.metadata.name);
  assert.deepEqual(fitting, ['kept', 'exact', 'large']);
});

const ref = { namespace: 'ns', name: 'c' };
for (const [name, claimRef, expected] of [
  ['no claimRef', undefined, 'nobody'],
  ['its name without a uid', ref, 'this'],
  ['its name and uid', { ...ref, uid: 'u' }, 'this'],
  ['its name with the uid of one before it', { ...ref, uid: 'old' }, 'other'],
  ['another namespace', { ...ref, namespace: 'other' }, 'other'],
] as const) {
  test(`a volume is kept for: ${name}`, () => {
    assert.equal(volumeKeptFor(volume('v', claimRef === undefined ? {} : { claimRef }), claim), expected);
  });
}

for (const [name, spec, expected] of [
  ['one that fits, selector or not', {}, undefined],
  ['too small', { capacity: { storage: '1Gi' } }, 'requested PV is too small'],
  ['another class', { storageClassName: 'slow' }, 'storageClassName does not match'],
  ['other attributes', { volumeAttributesClassName: 'x' }, 'volumeAttributesClassName does not match'],
  ['a device', { volumeMode: 'Block' }, 'incompatible volumeMode'],
  ['other access', { accessModes: ['ReadOnlyMany'] }, 'incompatible accessMode'],
] as const satisfies readonly (readonly [string, Partial<PersistentVolume['spec']>, string | undefined])[]) {
  test(`a volume that was asked for by name: ${name}`, () => {
    assert.equal(volumeMismatch(volume('v', spec), claim), expected);
  });
}

test('the class annotation of old wins over the field', () => {
  const annotated = {
    ...volume('v', { storageClassName: 'slow' }),
    metadata: { name: 'v', annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' } },
  };
  assert.equal(volumeMismatch(annotated, claim), undefined);
});
