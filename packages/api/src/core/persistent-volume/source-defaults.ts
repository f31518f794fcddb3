import type { Draft } from '../../draft.ts';
import type {
  AzureDiskVolumeSource,
  ISCSIVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
} from '../../generated/core-v1.ts';

// Defaults of the volume sources that pods and persistent volumes share.

export function defaultIscsi(source: Pick<Draft<ISCSIVolumeSource>, 'iscsiInterface'>): void {
  if (!source.iscsiInterface) source.iscsiInterface = 'default';
}

export function defaultRbd(source: Pick<Draft<RBDVolumeSource>, 'pool' | 'user' | 'keyring'>): void {
  if (!source.pool) source.pool = 'rbd';
  if (!source.user) source.user = 'admin';
  if (!source.keyring) source.keyring = '/etc/ceph/keyring';
}

export function defaultAzureDisk(source: Draft<AzureDiskVolumeSource>): void {
  source.cachingMode ??= 'ReadWrite';
  source.kind ??= 'Shared';
  source.fsType ??= 'ext4';
  source.readOnly ??= false;
}

export function defaultScaleIo(source: Pick<Draft<ScaleIOVolumeSource>, 'storageMode' | 'fsType'>): void {
  if (!source.storageMode) source.storageMode = 'ThinProvisioned';
  if (!source.fsType) source.fsType = 'xfs';
}
