import { deepEqual } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** Annotations are copied to the replica sets, so that a change of theirs counts as one of the spec. */
export const DEPLOYMENT_STRATEGY: Strategy = {
  prepareForUpdate(object, before) {
    if (deepEqual(object.metadata.annotations ?? {}, before.metadata.annotations ?? {})) return;
    asDraft(object).metadata.generation = (before.metadata.generation ?? 0) + 1;
  },
  prepareForStatusUpdate(object, before) {
    asDraft(object).metadata.labels = before.metadata.labels;
  },
};
