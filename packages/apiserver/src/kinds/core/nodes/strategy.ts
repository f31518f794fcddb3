import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** A kubelet that registers brings its node's status along: it is kept. */
export const NODE_STRATEGY: Strategy = {
  keepsStatusOnCreate: true,
  prepareForUpdate(object, before) {
    asDraft(object).status = asDraft(before).status;
  },
};
