import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ObjectReference } from '@binnacle/api/core/v1';
import type { ResourceRef } from '@binnacle/api';
import type { ObjectReferenceLike } from './ports.ts';

/** Points at an object whose resource is known: objects out of lists do not carry their own kind. */
export function referenceTo<T extends KubeObject>(ref: ResourceRef<T>, object: T, fieldPath?: string): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    kind: ref.kind,
    apiVersion: groupVersion(ref),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}

/** Whatever a caller of the recorder has in hand, as a reference. */
export function asReference(about: ObjectReferenceLike): ObjectReference {
  if (!('metadata' in about)) return about;
  const { namespace, name, uid, resourceVersion } = about.metadata;
  return {
    ...(about.kind === undefined ? {} : { kind: about.kind }),
    ...(about.apiVersion === undefined ? {} : { apiVersion: about.apiVersion }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
