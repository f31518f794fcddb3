import { namesStorageClass, storageClassNameOf, volumeKeptFor, volumeMismatch, volumesForClaim } from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { BIND_COMPLETED, SELECTED_NODE } from './annotations.ts';

/** What a claim's owner is told. */
export interface ClaimNotice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is to be done about a claim. */
export type ClaimDecision =
  | { readonly do: 'bind'; readonly volume: PersistentVolume }
  | { readonly do: 'wait'; readonly notice?: ClaimNotice }
  /** Its volume is gone or another's. */
  | { readonly do: 'lose'; readonly notice: ClaimNotice }
  /** It says no class, and meanwhile there is a default one. */
  | { readonly do: 'assign-class'; readonly className: string }
  /** Somebody has to make a volume for it. */
  | { readonly do: 'provision'; readonly provisioner: string };

/** What a decision looks at beside the claim. */
export interface ClaimView {
  volume(name: string): PersistentVolume | undefined;
  /** Volumes that are promised to nobody and have the class, and those kept for the claim. */
  candidates(claim: PersistentVolumeClaim): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  defaultClass(): StorageClass | undefined;
  /** Names of the pods that have the claim and no node yet. */
  waitingPods(claim: PersistentVolumeClaim): readonly string[];
}

/** Decides what is to be done about a claim. */
export function decideClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimDecision {
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return decideBound(claim, view);
  const { volumeName = '' } = claim.spec;
  return volumeName === '' ? chooseVolume(claim, view) : decideNamed(claim, view.volume(volumeName));
}

function decideBound(claim: PersistentVolumeClaim, view: ClaimView): ClaimDecision {
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') {
    return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  }
  const volume = view.volume(volumeName);
  if (volume === undefined) {
    return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  }
  const owner = volume.spec.claimRef;
  if (owner === undefined || owner.uid === claim.metadata.uid) return { do: 'bind', volume };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

function lost(reason: string, message: string): ClaimDecision {
  return { do: 'lose', notice: { type: 'Warning', reason, message } };
}

/** The user asked for a certain volume. */
function decideNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimDecision {
  if (volume === undefined) return { do: 'wait' };
  const keptFor = volumeKeptFor(volume, claim);
  if (keptFor === 'this') return { do: 'bind', volume };
  const name = JSON.stringify(volume.metadata.name ?? '');
  if (keptFor === 'other') return warn('FailedBinding', `volume ${name} already bound to a different claim.`);
  const mismatch = volumeMismatch(volume, claim);
  if (mismatch === undefined) return { do: 'bind', volume };
  return warn('VolumeMismatch', `Cannot bind to requested volume ${name}: ${mismatch}`);
}

function chooseVolume(claim: PersistentVolumeClaim, view: ClaimView): ClaimDecision {
  const className = storageClassNameOf(claim);
  const storage = view.storageClass(className);
  const waitsForConsumer = storage?.volumeBindingMode === 'WaitForFirstConsumer';
  const [volume] = volumesForClaim(claim, view.candidates(claim))
    // One that waits for its consumer is bound by the scheduler, unless a volume is kept for it.
    .filter((one) => !waitsForConsumer || volumeKeptFor(one, claim) === 'this')
    .filter(({ spec }) => (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true));
  if (volume !== undefined) return { do: 'bind', volume };
  const fallback = namesStorageClass(claim) ? undefined : view.defaultClass()?.metadata.name;
  if (fallback !== undefined) return { do: 'assign-class', className: fallback };
  if (waitsForConsumer && claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
    return { do: 'wait', notice: consumerNotice(view.waitingPods(claim)) };
  }
  if (className === '') {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    return { do: 'wait', notice: { type: 'Normal', reason: 'FailedBinding', message } };
  }
  return decideProvisioning(className, storage);
}

function consumerNotice(pods: readonly string[]): ClaimNotice {
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message };
  }
  const message = `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`;
  return { type: 'Normal', reason: 'WaitForPodScheduled', message };
}

function decideProvisioning(className: string, storage: StorageClass | undefined): ClaimDecision {
  if (storage === undefined) {
    return warn('ProvisioningFailed', `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  }
  const { provisioner } = storage;
  // Names of this form belong to the provisioners that were built in; none is any more.
  if (provisioner.startsWith('kubernetes.io/')) {
    return warn('ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
  }
  return { do: 'provision', provisioner };
}

function warn(reason: string, message: string): ClaimDecision {
  return { do: 'wait', notice: { type: 'Warning', reason, message } };
}
