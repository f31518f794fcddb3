import { deepEqual } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** Labels say whose slice it is: a change of theirs counts as one of the endpoints. */
export const ENDPOINT_SLICE_STRATEGY: Strategy = {
  prepareForUpdate(object, before) {
    if (deepEqual(object.metadata.labels ?? {}, before.metadata.labels ?? {})) return;
    asDraft(object).metadata.generation = (before.metadata.generation ?? 0) + 1;
  },
};
