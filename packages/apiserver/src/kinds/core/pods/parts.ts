import { validateEphemeralContainersUpdate, validatePodResize } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { ObjectPart } from '../../../catalogue/definition.ts';
import { asDraft } from '../../../storage/draft.ts';

interface PodSpecParts {
  ephemeralContainers?: unknown;
  resources?: unknown;
  containers?: readonly ContainerParts[];
  initContainers?: readonly ContainerParts[];
}

interface ContainerParts {
  readonly name: string;
  readonly resources?: unknown;
  readonly resizePolicy?: unknown;
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

/**
 * `pods/resize` changes what a pod as a whole and its containers may use; everything else stays. Containers that are others
 * than before go to validation as they are, which says so.
 */
export const RESIZE: ObjectPart = {
  keep(object, before) {
    const wanted = (asDraft(object).spec ?? {}) as PodSpecParts;
    const { resources: _resources, ...old } = asDraft(before).spec as PodSpecParts;
    keepMetadata(object, before);
    const containers = resized(old.containers, wanted.containers);
    const initContainers = resized(old.initContainers, wanted.initContainers);
    asDraft(object).spec = {
      ...old,
      containers,
      ...(initContainers === undefined ? {} : { initContainers }),
      ...(wanted.resources === undefined ? {} : { resources: wanted.resources }),
    };
  },
  validate: (object, before) => validatePodResize(object as Pod, before as Pod),
};

type Containers = readonly ContainerParts[] | undefined;

function resized(old: Containers, wanted: Containers): Containers {
  const isSame = (wanted?.length ?? 0) === (old?.length ?? 0) && old?.every((one, i) => one.name === wanted?.[i]?.name);
  if (isSame !== true) return wanted;
  return old?.map(({ resources: _resources, resizePolicy: _policy, ...rest }, i) => {
    const { resources, resizePolicy } = wanted?.[i] ?? {};
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

/** The metadata is not the part: it stays, but for the resourceVersion that the caller believes in. */
function keepMetadata(object: KubeObject, before: KubeObject): void {
  const { resourceVersion, uid } = object.metadata;
  asDraft(object).metadata = { ...before.metadata, resourceVersion, uid };
}
