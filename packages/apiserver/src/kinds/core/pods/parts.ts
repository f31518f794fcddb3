import { validateEphemeralContainersUpdate, validatePodResize } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { ObjectPart } from '../../../catalogue/definition.ts';
import { asDraft } from '../../../storage/draft.ts';

interface PodSpecParts {
  ephemeralContainers?: unknown;
  containers?: readonly { readonly name: string; readonly resources?: unknown }[];
}

/** `pods/ephemeralcontainers` adds containers for looking into a pod; everything else stays. */
export const EPHEMERAL_CONTAINERS: ObjectPart = {
  keep(object, before) {
    const wanted = (asDraft(object).spec as PodSpecParts | undefined)?.ephemeralContainers;
    const old = asDraft(before).spec as PodSpecParts;
    keepMetadata(object, before);
    asDraft(object).spec = { ...old, ephemeralContainers: wanted };
  },
  validate: (object, before) => validateEphemeralContainersUpdate(object as Pod, before as Pod),
};

/** `pods/resize` changes what containers may use; everything else stays. */
export const RESIZE: ObjectPart = {
  keep(object, before) {
    const wanted = (asDraft(object).spec as PodSpecParts | undefined)?.containers ?? [];
    const old = asDraft(before).spec as PodSpecParts;
    keepMetadata(object, before);
    const containers = (old.containers ?? []).map((container) => {
      const resources = wanted.find(({ name }) => name === container.name)?.resources;
      return resources === undefined ? container : { ...container, resources };
    });
    asDraft(object).spec = { ...old, containers };
  },
  validate: (object, before) => validatePodResize(object as Pod, before as Pod),
};

/** The metadata is not the part: it stays, but for the resourceVersion that the caller believes in. */
function keepMetadata(object: KubeObject, before: KubeObject): void {
  const { resourceVersion, uid } = object.metadata;
  asDraft(object).metadata = { ...before.metadata, resourceVersion, uid };
}
