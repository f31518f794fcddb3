import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, OwnerReference } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';

/** The reference by which a controller owns what it makes. */
export function controllerReference<T extends KubeObject>(ref: ResourceRef<T>, owner: T): OwnerReference {
  return {
    apiVersion: groupVersion(ref),
    kind: ref.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Splits an informer's key. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash === -1 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The merge patch that gives an object an owner, at the version that was looked at. */
export function adoptionPatch(object: KubeObject, owner: OwnerReference): object {
  return referencesPatch(object, [...(object.metadata.ownerReferences ?? []), owner]);
}

/** The merge patch that takes an owner away. */
export function releasePatch(object: KubeObject, ownerUid: string): object {
  const rest = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== ownerUid);
  return referencesPatch(object, rest);
}

function referencesPatch(object: KubeObject, ownerReferences: readonly OwnerReference[]): object {
  const { uid, resourceVersion } = object.metadata;
  return { metadata: { uid, resourceVersion, ownerReferences: ownerReferences.length === 0 ? null : ownerReferences } };
}
