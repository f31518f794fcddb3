import type { KubeObject, OwnerReference } from '@binnacle/machinery';
import type { GroupVersionResource } from '@binnacle/machinery';
import type { Trigger } from '@binnacle/reconcile';

/** Where an object is to be found. */
export interface Place {
  /** Undefined for an owner that only a reference has told of: its kind has to be looked up. */
  readonly resource: GroupVersionResource | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface GraphNode {
  readonly uid: string;
  place: Place;
  owners: readonly OwnerReference[];
  /** Most objects have none, and share one empty set; only the graph adds to it. */
  dependents: Set<GraphNode>;
  /** Known from a dependent's reference only; may not exist. */
  virtual: boolean;
  /** Seen to go, or looked for in vain. */
  absent: boolean;
  /** It was there, and is not any more: nobody gets its UID again. */
  gone: boolean;
  beingDeleted: boolean;
  /** Being deleted in the foreground: waits until no dependent blocks it. */
  waitsForDependents: boolean;
  waitsForOrphaning: boolean;
}

const NO_OWNERS: readonly OwnerReference[] = [];
const NO_DEPENDENTS = new Set<GraphNode>();

/** What changed, in words; asked only where the change gives something to do. */
export type Because = () => Trigger;

/** What a change of the graph gives to do. */
export interface Work {
  /** Look whether the object should be deleted. */
  check(node: GraphNode, because: Because): void;
  /** Free the dependents of an object. */
  orphan(node: GraphNode, because: Because): void;
}

/**
 * Who owns whom, by UID, over all kinds. One node per object plus one per owner that is referred to and was not seen.
 *
 *     Deployment d ◄── ReplicaSet r ◄── Pod p        owners up, dependents down
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** An object as it is now; `placeOf` says where it is, which never changes. */
  observe(object: KubeObject, placeOf: (object: KubeObject) => Place, because: Because): void {
    const uid = object.metadata.uid ?? '';
    let node = this.#nodes.get(uid);
    node ??= this.#add(uid, placeOf(object), false);
    if (node.virtual) {
      node.virtual = false;
      node.absent = false;
      node.gone = false;
      node.place = placeOf(object);
      this.#checkMisled(node, because);
    }
    this.#relink(node, object.metadata.ownerReferences ?? [], because);
    this.#noteDeletion(node, object, because);
  }

  /** An object that is gone, or (for a virtual node) was found never to have been. */
  forget(uid: string, because: Because): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    // Who owned itself is not left behind by itself: it would be looked for without an end.
    node.dependents.delete(node);
    for (const dependent of node.dependents) this.#work.check(dependent, because);
    for (const owner of node.owners) this.#leave(owner, node, because);
    // A reference may come again; until then the dependents of a vanished owner are held by a virtual node.
    if (node.dependents.size > 0) {
      const ghost = this.#add(uid, node.place, true);
      ghost.dependents = new Set(node.dependents);
      ghost.absent = true;
      ghost.gone = node.gone || !node.virtual;
    }
  }

  /** A kind is no longer served: its objects are dropped without consequences for others. */
  dropResource(isOf: (place: Place) => boolean, because: Because): void {
    for (const node of this.#nodes.values()) {
      if (node.virtual || !isOf(node.place)) continue;
      for (const owner of node.owners) this.#leave(owner, node, because);
      if (node.dependents.size === 0) this.#nodes.delete(node.uid);
      else node.virtual = true;
    }
  }

  #add(uid: string, place: Place, virtual: boolean): GraphNode {
    const node: GraphNode = {
      uid,
      place,
      owners: NO_OWNERS,
      dependents: NO_DEPENDENTS,
      virtual,
      absent: false,
      gone: false,
      beingDeleted: false,
      waitsForDependents: false,
      waitsForOrphaning: false,
    };
    this.#nodes.set(uid, node);
    return node;
  }

  #relink(node: GraphNode, owners: readonly OwnerReference[], because: Because): void {
    const before = node.owners;
    if (before.length === 0 && owners.length === 0) return;
    node.owners = owners;
    const named = new Map(owners.map((owner) => [owner.uid, owner]));
    for (const old of before) {
      const now = named.get(old.uid);
      if (now === undefined) this.#leave(old, node, because);
      else if (old.blockOwnerDeletion === true && now.blockOwnerDeletion !== true) this.#wake(old.uid, because);
    }
    for (const owner of owners) this.#join(node, owner, because);
  }

  #join(node: GraphNode, reference: OwnerReference, because: Because): void {
    let owner = this.#nodes.get(reference.uid);
    if (owner === undefined) {
      const { apiVersion, kind, name } = reference;
      owner = this.#add(
        reference.uid,
        { resource: undefined, apiVersion, kind, name, namespace: node.place.namespace },
        true,
      );
      this.#work.check(owner, because);
    } else if (
      !owner.dependents.has(node) &&
      (owner.absent || owner.waitsForDependents || !isWhereSaid(owner, node, reference))
    ) {
      // Nothing will happen to the owner any more that would have the dependent looked at.
      this.#work.check(node, because);
    }
    if (owner.dependents === NO_DEPENDENTS) owner.dependents = new Set();
    owner.dependents.add(node);
  }

  /** Whoever named the object before it was seen may have said something else of it than is true. */
  #checkMisled(owner: GraphNode, because: Because): void {
    for (const dependent of owner.dependents) {
      const isMisled = dependent.owners.some((one) => one.uid === owner.uid && !isWhereSaid(owner, dependent, one));
      if (isMisled) this.#work.check(dependent, because);
    }
  }

  #leave({ uid, blockOwnerDeletion }: OwnerReference, node: GraphNode, because: Because): void {
    const owner = this.#nodes.get(uid);
    if (owner === undefined) return;
    owner.dependents.delete(node);
    if (owner.virtual && owner.dependents.size === 0) this.#nodes.delete(uid);
    else if (blockOwnerDeletion === true) this.#wake(uid, because);
  }

  /** One obstacle less for an owner that waits for its dependents. */
  #wake(ownerUid: string, because: Because): void {
    const owner = this.#nodes.get(ownerUid);
    if (owner?.waitsForDependents === true) this.#work.check(owner, because);
  }

  #noteDeletion(node: GraphNode, object: KubeObject, because: Because): void {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    node.beingDeleted = deletionTimestamp !== undefined;
    if (!node.beingDeleted) return;
    const orphans = finalizers.includes('orphan');
    const foreground = finalizers.includes('foregroundDeletion');
    if (orphans && !node.waitsForOrphaning) this.#work.orphan(node, because);
    node.waitsForOrphaning = orphans;
    if (foreground && !node.waitsForDependents) {
      node.waitsForDependents = true;
      for (const dependent of node.dependents) this.#work.check(dependent, because);
      this.#work.check(node, because);
    }
    node.waitsForDependents = foreground;
  }
}

/** Whether a reference says of its owner what is known of it; an owner without a namespace may be anybody's. */
function isWhereSaid({ place }: GraphNode, dependent: GraphNode, { apiVersion, kind, name }: OwnerReference): boolean {
  if (place.name !== name || place.kind !== kind || groupOf(place.apiVersion) !== groupOf(apiVersion)) return false;
  return place.namespace === '' || place.namespace === dependent.place.namespace;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/**
 * Whether an owner's foreground deletion has to wait for a dependent; not for itself, should it own itself: it would wait
 * for ever. Asked whenever one of them went: it looks no further than to the first.
 */
export function isBlocked(node: GraphNode): boolean {
  for (const dependent of node.dependents) {
    if (dependent === node) continue;
    if (dependent.owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion === true)) return true;
  }
  return false;
}
