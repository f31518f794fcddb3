/** The four objects that a binding consists of, as each is to be: volume, its status, claim, its status. */
import { volumeKeptFor } from '@binnacle/api';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimPhase,
  PersistentVolumeClaimStatus,
  PersistentVolumePhase,
} from '@binnacle/api/core/v1';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from './annotations.ts';

/** The volume as it says whose it is; the same one when it does already. */
export function volumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  if (volume.spec.claimRef?.uid === uid && volumeKeptFor(volume, claim) === 'this') return volume;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const bound = { ...volume, spec: { ...volume.spec, claimRef } };
  return volumeKeptFor(volume, claim) === 'this' ? bound : withAnnotations(bound, { [BOUND_BY_CONTROLLER]: 'yes' });
}

/** The claim as it says which volume it has; the same one when it does already. */
export function claimBoundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { name } = volume.metadata;
  const isNamed = claim.spec.volumeName === name;
  if (isNamed && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return claim;
  const named = isNamed || name === undefined ? claim : { ...claim, spec: { ...claim.spec, volumeName: name } };
  return withAnnotations(named, { [BIND_COMPLETED]: 'yes', ...(isNamed ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) });
}

/**
 * The volume without its claim: one that the controller chose is anybody's again, one that a user kept for a claim
 * stays kept for the claim's name.
 */
export function volumeUnbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata.annotations ?? {};
  if (byController !== undefined) return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
  const { uid: _uid, resourceVersion: _revision, ...kept } = claimRef ?? {};
  return { ...volume, spec: { ...spec, claimRef: kept } };
}

/** The volume in a phase; the same one when it is. */
export function volumeInPhase(
  volume: PersistentVolume,
  { phase, message = '' }: { readonly phase: PersistentVolumePhase; readonly message?: string },
): PersistentVolume {
  if (volume.status?.phase === phase) return volume;
  const { message: _message, ...status } = volume.status ?? {};
  return { ...volume, status: { ...status, phase, ...(message === '' ? {} : { message }) } };
}

/** A claim's status once it has, waits for, or has lost its volume. */
export function claimInPhase(
  claim: PersistentVolumeClaim,
  phase: PersistentVolumeClaimPhase,
  volume?: PersistentVolume,
): PersistentVolumeClaim {
  const { accessModes: _modes, capacity: old, ...rest } = claim.status ?? {};
  if (volume === undefined) return { ...claim, status: { ...rest, phase } };
  const { accessModes, capacity = {}, volumeAttributesClassName } = volume.spec;
  const storage = capacity['storage'];
  // A claim that is bound already may have another size than its volume: a file system that did not grow yet.
  const isNew = claim.status?.phase !== phase;
  const becomesBound: PersistentVolumeClaimStatus =
    isNew && storage !== undefined ? { capacity: { ...old, storage } } : old === undefined ? {} : { capacity: old };
  const attributes =
    isNew && volumeAttributesClassName !== undefined && volumeAttributesClassName !== ''
      ? { currentVolumeAttributesClassName: volumeAttributesClassName }
      : {};
  return {
    ...claim,
    status: { ...rest, phase, ...(accessModes === undefined ? {} : { accessModes }), ...becomesBound, ...attributes },
  };
}

/** The object with these annotations beside its own. */
export function withAnnotations<T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  annotations: { readonly [key: string]: string },
): T {
  const merged = { ...object.metadata.annotations, ...annotations };
  return { ...object, metadata: { ...object.metadata, annotations: merged } };
}
