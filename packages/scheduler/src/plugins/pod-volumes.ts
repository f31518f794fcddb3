import { matchesNodeSelector, storageClassNameOf, wellknown } from '@binnacle/api';
import type { SelectableNode } from '@binnacle/api';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { isOwnedBy } from '@binnacle/machinery';
import type { Handle, Lister } from '../handle.ts';
import type { PodDemand } from '../plan/demand.ts';
import { CLAIMS, STORAGE_CLASSES, VOLUMES } from '../refs.ts';

/** Written on a claim by who made its binding complete. */
export const BIND_COMPLETED = wellknown.ANNOTATION_BIND_COMPLETED;
/** Written on a claim by the scheduler: where its volume shall be made. */
export const SELECTED_NODE = wellknown.ANNOTATION_SELECTED_NODE;

/** One claim that a pod names. */
export interface PodClaim {
  /** `namespace/name`. */
  readonly key: string;
  readonly name: string;
  /** Made for the pod from a template in it. */
  readonly isEphemeral: boolean;
}

const NO_CLAIMS: readonly PodClaim[] = [];

/** The claims that a pod names. */
export function claimsOf({ pod, claims }: PodDemand): readonly PodClaim[] {
  if (claims.length === 0) return NO_CLAIMS;
  const { namespace = '', name: podName = '' } = pod.metadata;
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
    if (claim === undefined) return [];
    return [{ key: `${namespace}/${claim}`, name: claim, isEphemeral: ephemeral !== undefined }];
  });
}

/** A pod's claims sorted by what is to be done about them. */
export interface SortedClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Bound once a node is chosen. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** Why the pod fits nowhere, if so. */
  readonly obstacle?: string;
}

/** What volume plugins look at. */
export class VolumeWorld {
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly classes: Lister<StorageClass>;

  constructor(handle: Handle) {
    this.claims = handle.lister(CLAIMS);
    this.volumes = handle.lister(VOLUMES);
    this.classes = handle.lister(STORAGE_CLASSES);
  }

  /** Sorts the claims of a pod, with upstream's word for what is in the way. */
  sort(demand: PodDemand): SortedClaims {
    const bound: PersistentVolumeClaim[] = [];
    const delayed: PersistentVolumeClaim[] = [];
    for (const { key, name, isEphemeral } of claimsOf(demand)) {
      const claim = this.claims.get(key);
      const obstacle = obstacleOf(demand, claim, { name, isEphemeral });
      if (claim === undefined || obstacle !== undefined) return { bound, delayed, obstacle: obstacle ?? '' };
      if (isBound(claim)) bound.push(claim);
      else if (this.#waitsForConsumer(claim) && (claim.spec?.volumeName ?? '') === '') delayed.push(claim);
      else return { bound, delayed, obstacle: 'pod has unbound immediate PersistentVolumeClaims' };
    }
    return { bound, delayed };
  }

  classOf(claim: PersistentVolumeClaim): StorageClass | undefined {
    return this.classes.get(storageClassNameOf(claim));
  }

  #waitsForConsumer(claim: PersistentVolumeClaim): boolean {
    return this.classOf(claim)?.volumeBindingMode === 'WaitForFirstConsumer';
  }
}

function obstacleOf(
  { pod }: PodDemand,
  claim: PersistentVolumeClaim | undefined,
  { name, isEphemeral }: { readonly name: string; readonly isEphemeral: boolean },
): string | undefined {
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  if (isEphemeral && !isOwnedBy(claim, pod)) {
    const { namespace = '' } = pod.metadata;
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name ?? ''} (pod is not owner)`;
  }
  return undefined;
}

/** Whether a claim has its volume for good. */
export function isBound({ spec, metadata }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** What of a node selectors look at. */
export function selectable(node: Node): SelectableNode {
  return { name: node.metadata.name ?? '', labels: node.metadata.labels };
}

/** Whether a volume can be reached from a node. */
export function isReachable({ spec }: PersistentVolume, node: SelectableNode): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, node);
}
