import type { KubeObject, ObjectMeta } from '@binnacle/machinery';

type Mutable<T> = { -readonly [K in keyof T]: T[K] | undefined };

/** An object under construction: just built by a walker, held by nobody else, so it may be written to. */
export interface Draft {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: Mutable<ObjectMeta>;
  [field: string]: unknown;
}

/** Opens an object for writing. Only for one that was built in this request (law 6). */
export function asDraft(object: KubeObject): Draft {
  return object as unknown as Draft;
}

/** The end of construction: from here on the object is read only. */
export function asObject(draft: Draft): KubeObject {
  return draft as unknown as KubeObject;
}
