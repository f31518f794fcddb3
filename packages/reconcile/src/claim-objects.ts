import { status } from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { decideClaim } from './claim.ts';
import { getOrUndefined } from './committer.ts';
import { adoptionPatch, controllerReference, releasePatch } from './owner.ts';
import type { SyncContext } from './run-controller.ts';

/** An owner, and the objects that are or could be its own. */
export interface ClaimOptions<O extends KubeObject, T extends KubeObject> {
  readonly client: Client;
  readonly owner: O;
  readonly ownerRef: ResourceRef<O>;
  readonly selector: Selector;
  readonly ref: ResourceRef<T>;
  readonly candidates: Iterable<T>;
}

/**
 * Releases what no longer matches, adopts what does and has no controller, and answers what is the owner's own then.
 * An object that went, or became another one of that name, in the meantime is passed over.
 */
export async function claimObjects<O extends KubeObject, T extends KubeObject>(
  options: ClaimOptions<O, T>,
  context: SyncContext,
): Promise<readonly T[]> {
  const { client, owner, ownerRef, ref } = options;
  const claim = decideClaim(owner, options.selector, options.candidates);
  if (claim.adopt.length === 0 && claim.release.length === 0) return claim.owned;
  const { uid = '', namespace } = owner.metadata;
  const objects = client.resource(ref, namespace);
  const patch = async (object: T, change: object): Promise<T | undefined> => {
    try {
      return await objects.patch(object.metadata.name ?? '', 'merge', change, undefined, context);
    } catch (error) {
      if (status.isNotFound(error) || status.isInvalid(error)) return undefined;
      throw error;
    }
  };
  for (const object of claim.release) await patch(object, releasePatch(object, uid));
  const mine = [...claim.owned];
  if (claim.adopt.length === 0 || !(await isStillOwner(options, context))) return mine;
  const reference = controllerReference(ownerRef, owner);
  for (const object of claim.adopt) {
    const adopted = await patch(object, adoptionPatch(object, reference));
    if (adopted !== undefined) mine.push(adopted);
  }
  return mine;
}

/** Before adopting, the server itself is asked: the cache may not know yet that the owner is gone or going. */
async function isStillOwner<O extends KubeObject, T extends KubeObject>(
  { client, owner, ownerRef }: ClaimOptions<O, T>,
  context: SyncContext,
): Promise<boolean> {
  const { name = '', namespace, uid } = owner.metadata;
  const fresh = await getOrUndefined(client.resource(ownerRef, namespace), name, context);
  return fresh !== undefined && fresh.metadata.uid === uid && fresh.metadata.deletionTimestamp === undefined;
}
