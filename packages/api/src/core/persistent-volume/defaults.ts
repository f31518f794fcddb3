import type { Draft } from '../../draft.ts';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../generated/core-v1.ts';
import { defaultAzureDisk, defaultIscsi, defaultRbd, defaultScaleIo } from './source-defaults.ts';

export function defaultPersistentVolume(volume: Draft<PersistentVolume>): void {
  const status = (volume.status ??= {});
  if (!status.phase) status.phase = 'Pending';
  const spec = (volume.spec ??= {});
  if (!spec.persistentVolumeReclaimPolicy) spec.persistentVolumeReclaimPolicy = 'Retain';
  spec.volumeMode ??= 'Filesystem';
  if (spec.hostPath) spec.hostPath.type ??= '';
  if (spec.iscsi) defaultIscsi(spec.iscsi);
  if (spec.rbd) defaultRbd(spec.rbd);
  if (spec.azureDisk) defaultAzureDisk(spec.azureDisk);
  if (spec.scaleIO) defaultScaleIo(spec.scaleIO);
}

export function defaultPersistentVolumeClaim(claim: Draft<PersistentVolumeClaim>): void {
  const status = (claim.status ??= {});
  if (!status.phase) status.phase = 'Pending';
  defaultClaimSpec((claim.spec ??= {}));
}

/** A claim's spec, in the claim itself or in a template of one. */
export function defaultClaimSpec(spec: Draft<PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= 'Filesystem';
}
