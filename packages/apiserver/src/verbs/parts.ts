import type { KubeObject } from '@binnacle/machinery';
import { asDraft } from '../storage/draft.ts';

type Keep = (object: KubeObject, before: KubeObject) => void;

interface PodSpecParts {
  ephemeralContainers?: unknown;
  containers?: readonly { readonly name: string; readonly resources?: unknown }[];
}

/** Subresources that take one part of the spec: everything else is put back as it was. */
export const PARTS: { readonly [subresource: string]: Keep } = {
  ephemeralcontainers(object, before) {
    const wanted = (asDraft(object).spec as PodSpecParts | undefined)?.ephemeralContainers;
    const old = asDraft(before).spec as PodSpecParts;
    takeMetadata(object, before);
    asDraft(object).spec = { ...old, ...(wanted === undefined ? {} : { ephemeralContainers: wanted }) };
  },
  resize(object, before) {
    const wanted = (asDraft(object).spec as PodSpecParts | undefined)?.containers ?? [];
    const old = asDraft(before).spec as PodSpecParts;
    takeMetadata(object, before);
    const containers = (old.containers ?? []).map((container) => {
      const resources = wanted.find(({ name }) => name === container.name)?.resources;
      return resources === undefined ? container : { ...container, resources };
    });
    asDraft(object).spec = { ...old, containers };
  },
};

/** The metadata is not the part: it stays, but for the resourceVersion that the caller believes in. */
function takeMetadata(object: KubeObject, before: KubeObject): void {
  const { resourceVersion, uid } = object.metadata;
  asDraft(object).metadata = { ...before.metadata, resourceVersion, uid };
}
