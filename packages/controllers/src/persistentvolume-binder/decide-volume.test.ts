import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import { PROVISIONED_BY } from './annotations.ts';
import { decideReclaim, decideVolume } from './decide-volume.ts';

const ref = { namespace: 'ns', name: 'c', uid: 'u' };
const volume = (
  spec: Partial<PersistentVolume['spec']>,
  annotations: { readonly [key: string]: string } = {},
): PersistentVolume => ({ metadata: { name: 'v', annotations }, spec: { accessModes: ['ReadWriteOnce'], ...spec } });
const claim = (uid: string, volumeName?: string): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'ns', uid },
  spec: volumeName === undefined ? {} : { volumeName },
});
const made = { [PROVISIONED_BY]: 'example.com/maker' };

for (const [name, of, its, expected] of [
  ['kept for nobody', volume({}), undefined, 'phase Available'],
  ['kept for a name', volume({ claimRef: { namespace: 'ns', name: 'c' } }), claim('u'), 'phase Available'],
  ['its claim is gone', volume({ claimRef: ref }), undefined, 'reclaim'],
  ['its claim is another one of the name', volume({ claimRef: ref }), claim('new', 'v'), 'reclaim'],
  ['its claim does not know yet', volume({ claimRef: ref }), claim('u'), 'wake-claim'],
  ['its claim wants files', volume({ claimRef: ref, volumeMode: 'Block' }), claim('u'), 'mismatch'],
  ['its claim has it', volume({ claimRef: ref }), claim('u', 'v'), 'phase Bound'],
  ['its claim has another', volume({ claimRef: ref }), claim('u', 'w'), 'unbind'],
  [
    'made for a claim that has another',
    volume({ claimRef: ref, persistentVolumeReclaimPolicy: 'Delete' }, made),
    claim('u', 'w'),
    'reclaim',
  ],
] as const) {
  test(`a volume: ${name}`, () => {
    const decision = decideVolume(of, its);
    assert.equal(decision.do === 'phase' ? `phase ${decision.phase}` : decision.do, expected);
  });
}

const failed = 'error getting deleter volume plugin for volume "v": ';
for (const [policy, annotations, expected] of [
  ['Retain', {}, 'nothing'],
  ['Delete', made, 'nothing'],
  ['Delete', {}, `VolumeFailedDelete ${failed}no deletable volume plugin matched`],
  [
    'Delete',
    { [PROVISIONED_BY]: 'kubernetes.io/host-path' },
    `VolumeFailedDelete ${failed}no volume plugin matched name: kubernetes.io/host-path`,
  ],
  ['Recycle', {}, 'VolumeFailedRecycle No recycler plugin found for the volume!'],
] as const) {
  test(`a volume that was let go, ${policy}: ${expected.slice(0, 40)}`, () => {
    const fate = decideReclaim(volume({ persistentVolumeReclaimPolicy: policy }, annotations));
    assert.equal(fate.do === 'fail' ? `${fate.reason} ${fate.message}` : fate.do, expected);
  });
}
