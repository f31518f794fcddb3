import { volumeModeOf } from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumePhase } from '@binnacle/api/core/v1';
import { PROVISIONED_BY } from './annotations.ts';

/** What is to be done about a volume. */
export type VolumeDecision =
  | { readonly do: 'phase'; readonly phase: PersistentVolumePhase }
  /** Nobody's any more: its policy says what becomes of it. */
  | { readonly do: 'reclaim' }
  /** Its claim has chosen another one. */
  | { readonly do: 'unbind' }
  /** The claim it is kept for does not know it yet. */
  | { readonly do: 'wake-claim' }
  /** It is kept for a claim that wants another sort of volume. */
  | { readonly do: 'mismatch'; readonly claim: PersistentVolumeClaim };

/** What becomes of a volume that was let go. */
export type Reclaim =
  | { readonly do: 'nothing' }
  | { readonly do: 'fail'; readonly reason: string; readonly message: string };

/** Decides what is to be done about a volume; `claim` is the one of its claimRef's name, of whatever uid. */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeDecision {
  const ref = volume.spec.claimRef;
  if (ref === undefined || (ref.uid ?? '') === '') return { do: 'phase', phase: 'Available' };
  if (claim === undefined || claim.metadata.uid !== ref.uid) return { do: 'reclaim' };
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') {
    return volumeModeOf(volume) === volumeModeOf(claim) ? { do: 'wake-claim' } : { do: 'mismatch', claim };
  }
  if (volumeName === volume.metadata.name) return { do: 'phase', phase: 'Bound' };
  const { annotations = {} } = volume.metadata;
  const isMade = annotations[PROVISIONED_BY] !== undefined;
  return isMade && volume.spec.persistentVolumeReclaimPolicy === 'Delete' ? { do: 'reclaim' } : { do: 'unbind' };
}

/** Whether the volume was let go before; then nobody asks again whether its claim is really gone. */
export function isLetGo({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}

/** Decides what becomes of a volume that was let go, by its policy. What somebody else made, they delete. */
export function decideReclaim({ spec, metadata }: PersistentVolume): Reclaim {
  const { name = '', annotations = {} } = metadata;
  switch (spec.persistentVolumeReclaimPolicy) {
    case undefined:
    case 'Retain':
      return { do: 'nothing' };
    case 'Recycle':
      return { do: 'fail', reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' };
    case 'Delete': {
      const maker = annotations[PROVISIONED_BY];
      if (maker !== undefined && !maker.startsWith('kubernetes.io/')) return { do: 'nothing' };
      const why =
        maker === undefined ? 'no deletable volume plugin matched' : `no volume plugin matched name: ${maker}`;
      const message = `error getting deleter volume plugin for volume ${JSON.stringify(name)}: ${why}`;
      return { do: 'fail', reason: 'VolumeFailedDelete', message };
    }
    default: {
      const message = 'Volume has unrecognized PersistentVolumeReclaimPolicy';
      return { do: 'fail', reason: 'VolumeUnknownReclaimPolicy', message };
    }
  }
}
