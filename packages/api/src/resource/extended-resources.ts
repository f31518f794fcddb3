import { controllerOf, isControlledBy } from '@binnacle/machinery';
import { DEVICE_CLASS_PREFIX, isClaimableResource } from '../core/resource-names.ts';
import type { Pod } from '../generated/core-v1.ts';
import type { DeviceClass, ResourceClaim } from '../generated/resource-v1.ts';

/** The annotation of a claim that was made for a pod's extended resources; `true`. */
export const EXTENDED_RESOURCE_CLAIM = 'resource.kubernetes.io/extended-resource-claim';

/** Which class of devices stands for an extended resource: by the name that the class has for it, or by the class's own. */
export class ExtendedResourceClasses {
  readonly #classes: () => readonly DeviceClass[];
  #byResource: Map<string, DeviceClass> | undefined;
  #byClass: Map<string, string> | undefined;

  constructor(classes: () => readonly DeviceClass[]) {
    this.#classes = classes;
  }

  /** Classes have changed. */
  invalidate(): void {
    this.#byResource = undefined;
    this.#byClass = undefined;
  }

  of(resource: string): DeviceClass | undefined {
    return this.#built().get(resource);
  }

  /** The name that a class has for its devices as a resource, besides the one made of its own. */
  resourceOf(className: string): string | undefined {
    this.#byClass ??= new Map(
      this.#classes().flatMap(({ metadata, spec: { extendedResourceName } }) =>
        extendedResourceName === undefined ? [] : [[metadata.name ?? '', extendedResourceName] as const],
      ),
    );
    return this.#byClass.get(className);
  }

  /** Of two classes by one name it is the younger one, so that one can take over from the other. */
  #built(): Map<string, DeviceClass> {
    if (this.#byResource !== undefined) return this.#byResource;
    const found = new Map<string, DeviceClass>();
    for (const one of this.#classes().toSorted(youngestFirst)) {
      const { extendedResourceName } = one.spec;
      if (extendedResourceName === undefined || found.has(extendedResourceName)) continue;
      if (isClaimableResource(extendedResourceName)) found.set(extendedResourceName, one);
    }
    for (const one of this.#classes()) found.set(DEVICE_CLASS_PREFIX + (one.metadata.name ?? ''), one);
    this.#byResource = found;
    return found;
  }
}

function youngestFirst({ metadata: a }: DeviceClass, { metadata: b }: DeviceClass): number {
  const [x, y] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (x !== y) return x > y ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}

/** The names by which a class is asked for as a resource. */
export function resourcesOfClass({ metadata, spec }: DeviceClass): readonly string[] {
  const implicit = DEVICE_CLASS_PREFIX + (metadata.name ?? '');
  return spec.extendedResourceName === undefined ? [implicit] : [spec.extendedResourceName, implicit];
}

/** Whether the claim was made for the extended resources of the pod. */
export function isClaimForResources(claim: ResourceClaim, pod: Pod): boolean {
  return claim.metadata.annotations?.[EXTENDED_RESOURCE_CLAIM] === 'true' && isControlledBy(claim, pod);
}

/** The uid of the pod whose extended resources a claim is for. */
export function podOfResources(claim: ResourceClaim): readonly string[] {
  if (claim.metadata.annotations?.[EXTENDED_RESOURCE_CLAIM] !== 'true') return [];
  const owner = controllerOf(claim);
  return owner === undefined ? [] : [owner.uid];
}
