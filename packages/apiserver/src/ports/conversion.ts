import type { KubeObject } from '@binnacle/machinery';

/**
 * Between a served version and the stored one, many objects at a time, in their order. Neither direction writes into
 * its arguments. Built-in kinds answer at once; who has to ask (a webhook) answers with a promise and costs nobody
 * else one. Throws StatusError, 500 for a converter that fails.
 */
export interface Conversion {
  /** New objects in the stored version; parts of the arguments may be used in them. */
  toStored(objects: readonly KubeObject[]): readonly KubeObject[] | Promise<readonly KubeObject[]>;
  /** What is shown for stored objects; shared and read only from then on. */
  toServed(objects: readonly KubeObject[]): readonly KubeObject[] | Promise<readonly KubeObject[]>;
}
