import { wellknown } from '@binnacle/api';
import type { DaemonSet } from '@binnacle/api/apps/v1';
import { deepEqual, readInt64, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** How often the template changed; apps/v1 has no field for it. */
const { ANNOTATION_TEMPLATE_GENERATION } = wellknown;

/** Counts the versions of the template: what the caller says of it counts at the creation only. */
export const DAEMON_SET_STRATEGY: Strategy = {
  readNew: beginGeneration,
  prepareForCreate: beginGeneration,
  prepareForUpdate(object, before) {
    generationOf(object);
    const isSame = deepEqual((object as DaemonSet).spec.template, (before as DaemonSet).spec.template);
    setGeneration(object, generationOf(before) + (isSame ? 0n : 1n));
  },
  prepareForStatusUpdate(object, before) {
    generationOf(object);
    setGeneration(object, generationOf(before));
  },
};

function beginGeneration(object: KubeObject): void {
  const asked = generationOf(object);
  setGeneration(object, asked < 1n ? 1n : asked);
}

function setGeneration(object: KubeObject, generation: bigint): void {
  const { metadata } = asDraft(object);
  metadata.annotations = { ...metadata.annotations, [ANNOTATION_TEMPLATE_GENERATION]: String(generation) };
}

/** Zero where there is none. Throws 400 for what is no integer, as reading the object does upstream. */
function generationOf({ metadata }: KubeObject): bigint {
  const text = metadata.annotations?.[ANNOTATION_TEMPLATE_GENERATION];
  if (text === undefined) return 0n;
  const value = readInt64(text);
  if (value !== undefined) return value;
  throw status.badRequest(
    `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
