import { RecentTable } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject, OwnerReference } from '@binnacle/machinery';
import { actOnEach } from '@binnacle/client';
import type { Client, ResourceClient } from '@binnacle/client';
import { getOrUndefined, sameTrigger } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { UnknownKindError } from '../errors.ts';
import { judge } from './decide.ts';
import type { Judged, OwnerState, Verdict } from './decide.ts';
import { isBlocked } from './graph.ts';
import type { GraphNode, OwnerGraph, Place } from './graph.ts';
import type { KindTable } from './kind-table.ts';

export interface CollectorOptions {
  readonly client: Client;
  readonly graph: OwnerGraph;
  readonly kinds: () => KindTable;
  /** Says that an object names an owner of a namespace that is not its own. */
  readonly tellInvalidOwner: (node: GraphNode, owner: OwnerReference) => void;
}

/** Owners found missing are remembered, so that a thousand dependents ask the server once; the oldest is forgotten. */
const ABSENT_MAX = 500;

/** Acts on nodes of the graph; every deletion is decided on what the server itself says, not on the graph. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #absent = new RecentTable<true>(ABSENT_MAX);

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Deletes the object if nothing owns it any more; helps a foreground deletion on. */
  async check(uid: string, context: SyncContext): Promise<void> {
    const node = this.#options.graph.get(uid);
    if (node === undefined || (node.beingDeleted && !node.waitsForDependents)) return;
    const objects = this.#clientFor(node.place);
    const live = await getOrUndefined(objects, node.place.name, context);
    if (live === undefined || live.metadata.uid !== uid) {
      this.#options.graph.forget(uid, () => sameTrigger(context));
      return;
    }
    // A virtual node that exists after all will be seen by its own watch.
    if (node.virtual) return;
    if (node.waitsForDependents) return this.#finishForeground(node, live, context);
    const owners = await this.#judgeOwners(node, live, context);
    const dependents = [...node.dependents];
    const verdict = judge(live, owners, {
      any: dependents.length > 0,
      someWaiting: dependents.some((dependent) => dependent.waitsForDependents),
    });
    await this.#carryOut(objects, { live, verdict }, context);
  }

  /** Frees the dependents of an object that is deleted without them. */
  async orphan(uid: string, context: SyncContext): Promise<void> {
    const node = this.#options.graph.get(uid);
    if (node === undefined || !node.waitsForOrphaning) return;
    // One that somebody does not let us change keeps the owner, and no other dependent with it.
    await actOnEach([...node.dependents], async (dependent) => {
      const objects = this.#clientFor(dependent.place);
      const live = await getOrUndefined(objects, dependent.place.name, context);
      if (live !== undefined && live.metadata.uid === dependent.uid)
        await dropReferences(objects, { live, uids: [uid] }, context);
    });
    const owner = this.#clientFor(node.place);
    const live = await getOrUndefined(owner, node.place.name, context);
    if (live?.metadata.uid === uid) await dropFinalizer(owner, { live, finalizer: 'orphan' }, context);
  }

  async #finishForeground(node: GraphNode, live: KubeObject, context: SyncContext): Promise<void> {
    // Each dependent is looked at once the owner waits for it, and tells when it goes or lets go.
    if (isBlocked(node)) return;
    await dropFinalizer(this.#clientFor(node.place), { live, finalizer: 'foregroundDeletion' }, context);
  }

  async #judgeOwners(node: GraphNode, live: KubeObject, context: SyncContext): Promise<readonly Judged[]> {
    const judged: Judged[] = [];
    // One after the other: nearly all objects have one, and who names thousands has no claim to everybody's turn.
    for (const reference of live.metadata.ownerReferences ?? []) {
      judged.push({ reference, state: await this.#stateOf(node, reference, context) });
    }
    return judged;
  }

  async #stateOf(node: GraphNode, reference: OwnerReference, context: SyncContext): Promise<OwnerState> {
    const { apiVersion, kind, name, uid } = reference;
    const place: Place = { resource: undefined, apiVersion, kind, name, namespace: node.place.namespace };
    const key = [place.namespace, apiVersion, kind, name, uid].join('|');
    // Its deletion was seen, which is why the dependent is looked at: the server need not say so once more for each.
    if (this.#absent.has(key) || this.#options.graph.get(uid)?.gone === true) return 'dangling';
    if (this.#isForeignNamespace(place)) {
      // Which namespace would it be in? Nobody can tell that it is gone, so nothing is deleted.
      this.#options.tellInvalidOwner(node, reference);
      return 'solid';
    }
    const owner = await getOrUndefined(this.#clientFor(place), name, context);
    if (owner === undefined || owner.metadata.uid !== uid) {
      if (this.#isElsewhere(uid, place.namespace)) this.#options.tellInvalidOwner(node, reference);
      this.#absent.set(key, true);
      return 'dangling';
    }
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers.includes('foregroundDeletion') ? 'waiting' : 'solid';
  }

  #isForeignNamespace(owner: Place): boolean {
    return owner.namespace === '' && this.#options.kinds().find(owner.apiVersion, owner.kind)?.namespaced === true;
  }

  /** Whether the owner is there, in another namespace: nobody is owned across them. */
  #isElsewhere(uid: string, namespace: string): boolean {
    const known = this.#options.graph.get(uid);
    return known?.virtual === false && known.place.namespace !== '' && known.place.namespace !== namespace;
  }

  async #carryOut(
    objects: ResourceClient<KubeObject>,
    work: { readonly live: KubeObject; readonly verdict: Verdict },
    context: SyncContext,
  ): Promise<void> {
    const { live, verdict } = work;
    const { name = '', uid = '', resourceVersion = '' } = live.metadata;
    switch (verdict.kind) {
      case 'keep':
        return;
      case 'drop-references':
        await dropReferences(objects, { live, uids: verdict.uids }, context);
        return;
      case 'delete': {
        if (verdict.unblock) await unblockOwners(objects, live, context);
        const preconditions = verdict.unblock ? { uid } : { uid, resourceVersion };
        const { propagationPolicy } = verdict;
        await ignoreNotFound(objects.delete(name, { preconditions, propagationPolicy }, context));
      }
    }
  }

  #clientFor(place: Place): ResourceClient<KubeObject> {
    const { client, kinds } = this.#options;
    const known = kinds().find(place.apiVersion, place.kind);
    const resource = place.resource ?? known;
    if (resource === undefined) throw new UnknownKindError(place.apiVersion, place.kind);
    const namespaced = known?.namespaced ?? place.namespace !== '';
    return client.dynamic(resource, namespaced ? place.namespace : undefined);
  }
}

async function dropReferences(
  objects: ResourceClient<KubeObject>,
  work: { readonly live: KubeObject; readonly uids: readonly string[] },
  context: SyncContext,
): Promise<void> {
  const dropped = new Set(work.uids);
  const rest = (work.live.metadata.ownerReferences ?? []).filter((reference) => !dropped.has(reference.uid));
  const change = { ownerReferences: rest.length === 0 ? null : rest };
  await patchMeta(objects, { live: work.live, change }, context);
}

async function unblockOwners(
  objects: ResourceClient<KubeObject>,
  live: KubeObject,
  context: SyncContext,
): Promise<void> {
  const ownerReferences = (live.metadata.ownerReferences ?? []).map((one) => ({ ...one, blockOwnerDeletion: false }));
  await patchMeta(objects, { live, change: { ownerReferences } }, context);
}

async function dropFinalizer(
  objects: ResourceClient<KubeObject>,
  work: { readonly live: KubeObject; readonly finalizer: string },
  context: SyncContext,
): Promise<void> {
  const before = work.live.metadata.finalizers ?? [];
  const finalizers = before.filter((one) => one !== work.finalizer);
  if (finalizers.length === before.length) return;
  const change = { finalizers: finalizers.length === 0 ? null : finalizers };
  await patchMeta(objects, { live: work.live, change }, context);
}

/** At the version that was looked at: a conflict means to look again. */
async function patchMeta(
  objects: ResourceClient<KubeObject>,
  work: { readonly live: KubeObject; readonly change: object },
  context: SyncContext,
): Promise<void> {
  const { name = '', uid, resourceVersion } = work.live.metadata;
  const body = { metadata: { uid, resourceVersion, ...work.change } };
  await ignoreNotFound(objects.patch(name, 'merge', body, undefined, context));
}

async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!status.isNotFound(error)) throw error;
  }
}
