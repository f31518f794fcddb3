import { matchesLabels, selectorFromObject } from '@binnacle/machinery';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/core-v1.ts';
import { resourceAmount } from '../pod/requests.ts';

/** Says the class of a claim or a volume in clusters from before there was a field for it; it wins over the field. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The name of the StorageClass of a claim or a volume; empty: none. */
export function storageClassNameOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}

/** Whether a claim says anything of its class; an empty name is an answer too. */
export function namesStorageClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[CLASS_ANNOTATION] !== undefined || typeof spec.storageClassName === 'string';
}

/** Whom a volume is kept for by its own claimRef, as one claim sees it. A claimRef without uid fits any claim of its name. */
export function volumeKeptFor({ spec }: PersistentVolume, claim: PersistentVolumeClaim): 'this' | 'nobody' | 'other' {
  const ref = spec.claimRef;
  if (ref === undefined) return 'nobody';
  const isIt = ref.name === claim.metadata.name && ref.namespace === claim.metadata.namespace;
  return isIt && ((ref.uid ?? '') === '' || ref.uid === claim.metadata.uid) ? 'this' : 'other';
}

/** Why a volume that a claim asks for by name cannot be bound to it, in upstream's words; undefined: it can. */
export function volumeMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name ?? '')}`;
  }
  if (capacityOf(volume) < requestOf(claim)) return 'requested PV is too small';
  if (storageClassNameOf(volume) !== storageClassNameOf(claim)) return 'storageClassName does not match';
  if (attributesOf(volume) !== attributesOf(claim)) return 'volumeAttributesClassName does not match';
  if (volumeModeOf(volume) !== volumeModeOf(claim)) return 'incompatible volumeMode';
  return offersAccess(volume, claim) ? undefined : 'incompatible accessMode';
}

/** `Filesystem` where nothing else is said. */
export function volumeModeOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec.volumeMode ?? 'Filesystem';
}

/**
 * The volumes that a claim may be bound to, wherever they can be reached: those kept for it first, then the smallest.
 */
export function volumesForClaim(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume[] {
  const selector = claim.spec.selector === undefined ? undefined : selectorFromObject(claim.spec.selector);
  const fits = (volume: PersistentVolume): boolean => {
    const keptFor = volumeKeptFor(volume, claim);
    if (keptFor === 'other' || volume.metadata.deletionTimestamp !== undefined) return false;
    if (capacityOf(volume) < requestOf(claim) || volumeModeOf(volume) !== volumeModeOf(claim)) return false;
    if (attributesOf(volume) !== attributesOf(claim)) return false;
    if (keptFor === 'this') return true;
    return (
      volume.status?.phase === 'Available' &&
      storageClassNameOf(volume) === storageClassNameOf(claim) &&
      offersAccess(volume, claim) &&
      (selector === undefined || matchesLabels(selector, volume.metadata.labels))
    );
  };
  const rank = (volume: PersistentVolume): number => (volumeKeptFor(volume, claim) === 'this' ? 0 : 1);
  return volumes.filter(fits).sort((a, b) => rank(a) - rank(b) || capacityOf(a) - capacityOf(b));
}

function capacityOf({ spec }: PersistentVolume): number {
  return resourceAmount('storage', spec.capacity?.['storage'] ?? '0');
}

function requestOf({ spec }: PersistentVolumeClaim): number {
  return resourceAmount('storage', spec.resources?.requests?.['storage'] ?? '0');
}

function attributesOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec.volumeAttributesClassName ?? '';
}

function offersAccess({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true);
}
