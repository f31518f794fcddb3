import type { GroupVersionResource, KubeObject } from '@binnacle/machinery';

/** A resource together with the TypeScript type of its objects, which exists only for the compiler. */
export interface ResourceRef<T extends KubeObject> extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly object?: T;
}
