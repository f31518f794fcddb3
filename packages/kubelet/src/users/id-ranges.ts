/** Which user ids of a node are whose: runs of one length, side by side, one for each pod that has users of its own. */
import { KubeletConfigError, UserNamespaceError } from '../errors.ts';
import type { IdRange } from '../ports.ts';

/** A run is never shorter, and starts at a multiple of it: images have users up to 65535. */
export const ID_UNIT = 65_536;

const IDS = 2 ** 32;
const FIELD = 'userNamespaces';

/**
 * The ids for pods: those that the node keeps for its kubelet, else all that are not the node's own. Throws
 * KubeletConfigError, in upstream's words, where they are not as many, or do not lie as they must.
 */
export function podIds(of: {
  readonly told: IdRange | undefined;
  readonly idsPerPod: number;
  readonly pods: number;
}): IdRange {
  const { idsPerPod, pods } = of;
  const { first, length } = of.told ?? { first: idsPerPod, length: IDS - idsPerPod };
  if (first % idsPerPod !== 0)
    throw new KubeletConfigError(FIELD, `kubelet user assigned ID ${first} is not a multiple of ${idsPerPod}`);
  // Id 0 is never mapped: the node's own root would be a pod's.
  if (first < idsPerPod)
    throw new KubeletConfigError(FIELD, `kubelet user assigned ID ${first} must be greater or equal to ${idsPerPod}`);
  if (length % idsPerPod !== 0)
    throw new KubeletConfigError(FIELD, `kubelet user assigned IDs length ${length} is not a multiple of ${idsPerPod}`);
  // As many as an id has room for are enough for nodes of any size.
  if (length / idsPerPod < Math.min(pods, IDS / ID_UNIT - 1))
    throw new KubeletConfigError(FIELD, `kubelet user assigned IDs are not enough to support ${pods} pods`);
  return { first, length };
}

/** Which run is whose, by pod UID. */
export class IdRanges {
  readonly idsPerPod: number;
  readonly #first: number;
  readonly #count: number;
  readonly #slots = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  constructor(range: IdRange, idsPerPod: number) {
    this.idsPerPod = idsPerPod;
    this.#first = range.first;
    this.#count = range.length / idsPerPod;
  }

  /** The first id of the pod's run; undefined: it has none. */
  of(uid: string): number | undefined {
    const slot = this.#slots.get(uid);
    return slot === undefined ? undefined : this.#idOf(slot);
  }

  /** A run that nobody has; the one given back last comes last. Throws UserNamespaceError. */
  give(uid: string): number {
    for (let tried = 0; tried < this.#count; tried++) {
      const slot = (this.#next + tried) % this.#count;
      if (this.#taken.has(slot)) continue;
      this.#next = (slot + 1) % this.#count;
      this.#take(uid, slot);
      return this.#idOf(slot);
    }
    throw new UserNamespaceError('could not find an empty slot to allocate a user namespace');
  }

  /** A run that a pod has from before. Throws UserNamespaceError where it is none of ours, or another's. */
  claim(uid: string, run: IdRange): void {
    const slot = (run.first - this.#first) / this.idsPerPod;
    if (run.length !== this.idsPerPod) throw new UserNamespaceError(`wrong user namespace length ${run.length}`);
    if (!Number.isInteger(slot)) throw new UserNamespaceError(`wrong user namespace offset specified ${run.first}`);
    if (slot < 0 || slot >= this.#count) throw new UserNamespaceError(`id ${run.first} is out of range`);
    if (this.#taken.has(slot)) throw new UserNamespaceError(`range picked for pod "${uid}" already taken`);
    this.#take(uid, slot);
  }

  /** Another may have it; none is fine. */
  release(uid: string): void {
    const slot = this.#slots.get(uid);
    if (slot === undefined) return;
    this.#slots.delete(uid);
    this.#taken.delete(slot);
  }

  #take(uid: string, slot: number): void {
    this.#slots.set(uid, slot);
    this.#taken.add(slot);
  }

  #idOf(slot: number): number {
    return this.#first + slot * this.idsPerPod;
  }
}
