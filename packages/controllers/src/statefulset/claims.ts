import { deepEqual } from '@binnacle/machinery';
import type { OwnerReference } from '@binnacle/machinery';
import { PODS, STATEFUL_SETS } from '@binnacle/api';
import type { StatefulSet } from '@binnacle/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { controllerReference } from '@binnacle/reconcile';

/** With whom a claim goes. */
export type ClaimFate = 'nobody' | 'set' | 'pod';

/** Whether claims go when the set is deleted, or when their pod is scaled away. */
export function claimFate({ spec }: StatefulSet, condemned: boolean): ClaimFate {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (condemned && whenScaled === 'Delete') return 'pod';
  return whenDeleted === 'Delete' ? 'set' : 'nobody';
}

/** The claim with the owner that its fate calls for; the very one when it is right. Owners of others' are left alone. */
export function withFate(
  claim: PersistentVolumeClaim,
  fate: ClaimFate,
  of: { readonly set: StatefulSet; readonly pod: Pod | undefined },
): PersistentVolumeClaim {
  const before = claim.metadata.ownerReferences ?? [];
  const others = othersOf(claim, of.set);
  // It is not ours to give away.
  if (isControlledByOther(others)) return claim;
  const owner = ownerFor(fate, of);
  const after = owner === undefined ? others : [...others, owner];
  if (deepEqual(before, after)) return claim;
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: after } };
}

/** Whether somebody else controls a claim that the set's policy would give away. A policy that keeps all claims minds nobody. */
export function hasConflictingOwner(claim: PersistentVolumeClaim, set: StatefulSet): boolean {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false;
  return isControlledByOther(othersOf(claim, set));
}

/** Whether the claim is about to go with a pod of this name that was there before: nothing may be built on it. */
export function isStaleClaim(claim: PersistentVolumeClaim, podName: string): boolean {
  if (claim.metadata.deletionTimestamp !== undefined) return true;
  return (claim.metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Pod' && name === podName);
}

function ownerFor(
  fate: ClaimFate,
  { set, pod }: { readonly set: StatefulSet; readonly pod: Pod | undefined },
): OwnerReference | undefined {
  if (fate === 'set') return controllerReference(STATEFUL_SETS, set);
  return fate === 'pod' && pod !== undefined ? controllerReference(PODS, pod) : undefined;
}

function othersOf(claim: PersistentVolumeClaim, set: StatefulSet): readonly OwnerReference[] {
  const podName = podNameOf(claim, set);
  return (claim.metadata.ownerReferences ?? []).filter((reference) => !isOfSet(reference, set, podName));
}

function isControlledByOther(others: readonly OwnerReference[]): boolean {
  return others.some((reference) => reference.controller === true);
}

function isOfSet({ kind, name, uid }: OwnerReference, set: StatefulSet, podName: string): boolean {
  return uid === set.metadata.uid || (kind === 'Pod' && name === podName);
}

/** `<template>-<set>-<ordinal>` without its template. */
function podNameOf(claim: PersistentVolumeClaim, set: StatefulSet): string {
  const name = claim.metadata.name ?? '';
  const at = name.lastIndexOf(`-${set.metadata.name ?? ''}-`);
  return at === -1 ? '' : name.slice(at + 1);
}
