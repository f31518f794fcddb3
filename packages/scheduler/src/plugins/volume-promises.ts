import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { Snapshot } from '../plan/snapshot.ts';

/** What a claim was promised: one of the volumes that are there, or one that is made at a node. */
export type VolumePromise = { readonly volume: string } | { readonly node: string };

interface Held {
  readonly promise: VolumePromise;
  /** How many pods on their way lean on it. */
  pods: number;
}

/** What claims of pods on their way were promised, which the API does not tell yet. */
export class VolumePromises {
  /** By the claim's uid. */
  readonly #byClaim = new Map<string, Held>();
  /** Volume → claim's uid. */
  readonly #byVolume = new Map<string, string>();

  /** What another pod with the claim waits for: whoever shares it gets no other. */
  of({ metadata }: PersistentVolumeClaim): VolumePromise | undefined {
    return this.#byClaim.get(metadata.uid ?? '')?.promise;
  }

  /** Whether the claim may have the volume. */
  isFree({ metadata }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
    const owner = this.#byVolume.get(metadata.name ?? '');
    return owner === undefined || owner === claim.metadata.uid;
  }

  /** A pod more leans on it. */
  add({ metadata: { uid = '' } }: PersistentVolumeClaim, promise: VolumePromise): void {
    const held = this.#byClaim.get(uid) ?? { promise, pods: 0 };
    held.pods++;
    this.#byClaim.set(uid, held);
    if ('volume' in promise) this.#byVolume.set(promise.volume, uid);
  }

  /** A pod less does. */
  remove({ metadata: { uid = '' } }: PersistentVolumeClaim): void {
    const held = this.#byClaim.get(uid);
    if (held === undefined || --held.pods > 0) return;
    this.#byClaim.delete(uid);
    if ('volume' in held.promise) this.#byVolume.delete(held.promise.volume);
  }
}

/** By the state of the scheduler whose profiles decide one after the other. */
const shared = new WeakMap<Snapshot, VolumePromises>();

/** One for all profiles of a scheduler: what one of them has promised is nobody else's to give. */
export function volumePromisesOf(snapshot: Snapshot): VolumePromises {
  const known = shared.get(snapshot) ?? new VolumePromises();
  shared.set(snapshot, known);
  return known;
}
