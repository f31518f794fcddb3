import { PODS, RESOURCE_CLAIMS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim, ResourceClaimConsumerReference } from '@binnacle/api/resource/v1';
import { RecentTable } from '@binnacle/base';
import type { Informer } from '@binnacle/client';
import { deleteIfThere, getOrUndefined } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { needsClaims } from '../claims-of-devices.ts';
import type { ControllerKit } from '../controller-kit.ts';

/** Index of claims: by uid of their owners. */
export const BY_OWNER = 'owner';
/** Kept on claims that have devices. */
const FINALIZER = 'resource.kubernetes.io/delete-protection';
/** Pods that were seen to go, by uid: so many are remembered. */
const GONE_MAX = 4096;

interface Parts {
  readonly kit: ControllerKit;
  readonly pods: Informer<Pod>;
}

/** Takes claims back from pods that need them no longer; with its last user a claim loses its devices. */
export class ClaimKeeper {
  readonly #parts: Parts;
  readonly #gone = new RecentTable<true>(GONE_MAX);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The pod was seen to go: the server need not be asked whether it is there. */
  podGone({ metadata }: Pod): void {
    if (metadata.uid !== undefined) this.#gone.set(metadata.uid, true);
  }

  async keep(seen: ResourceClaim, context: SyncContext): Promise<void> {
    const { kit, pods } = this.#parts;
    const { namespace, name = '', uid, deletionTimestamp } = seen.metadata;
    const client = kit.client.resource(RESOURCE_CLAIMS, namespace);
    const users = await this.#usersOf(seen, context);
    let claim = seen;
    const reserved = seen.status?.reservedFor ?? [];
    const idle = users.length === 0;
    const isOurs = seen.metadata.finalizers?.includes(FINALIZER) === true;
    const freed =
      idle &&
      isOurs &&
      seen.status?.allocation !== undefined &&
      (reserved.length > 0 || deletionTimestamp !== undefined);
    if (users.length < reserved.length || freed) {
      const { reservedFor: _, allocation, devices, ...rest } = seen.status ?? {};
      const kept = freed
        ? {}
        : { ...(allocation === undefined ? {} : { allocation }), ...(devices === undefined ? {} : { devices }) };
      const status = { ...rest, ...kept, ...(idle ? {} : { reservedFor: users }) };
      claim = await client.updateStatus({ ...claim, status }, undefined, context);
    }
    // Without devices nothing is left to protect. Not so before it has any: whoever gives them to it begins with the finalizer.
    if (idle && isOurs && (freed || deletionTimestamp !== undefined)) {
      const finalizers = (claim.metadata.finalizers ?? []).filter((one) => one !== FINALIZER);
      claim = await client.update({ ...claim, metadata: { ...claim.metadata, finalizers } }, undefined, context);
    }
    if (!idle || deletionTimestamp !== undefined) return;
    const owner = claim.metadata.ownerReferences?.find((one) => one.controller === true && one.kind === 'Pod');
    const pod = owner === undefined ? undefined : pods.get(`${namespace ?? ''}/${owner.name}`);
    // Whose pod is gone is the garbage collector's.
    if (pod === undefined || pod.metadata.uid !== owner?.uid || needsClaims(pod)) return;
    const options = uid === undefined ? {} : { preconditions: { uid } };
    await deleteIfThere({ client, context }, name, options);
  }

  /** Those of the claim's pods that need it still. What the cache does not know, the server may. */
  async #usersOf(
    { metadata, status }: ResourceClaim,
    context: SyncContext,
  ): Promise<readonly ResourceClaimConsumerReference[]> {
    const { kit, pods } = this.#parts;
    const { namespace = '' } = metadata;
    const users: ResourceClaimConsumerReference[] = [];
    for (const one of status?.reservedFor ?? []) {
      // Nobody here knows of other users: they stay.
      if ((one.apiGroup ?? '') !== '' || one.resource !== 'pods') {
        users.push(one);
        continue;
      }
      if (this.#gone.has(one.uid)) continue;
      const cached = pods.get(`${namespace}/${one.name}`);
      const found =
        cached?.metadata.uid === one.uid
          ? cached
          : await getOrUndefined(kit.client.resource(PODS, namespace), one.name, context);
      if (found?.metadata.uid === one.uid && needsClaims(found)) users.push(one);
    }
    return users;
  }
}
