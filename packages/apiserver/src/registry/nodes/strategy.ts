import type { Strategy } from '../../ports.ts';
import { asDraft } from '../draft.ts';

/** A kubelet that registers brings its node's status along: it is kept. */
export const NODE_STRATEGY: Strategy = {
  keepsStatusOnCreate: true,
  prepareForUpdate(object, before) {
    asDraft(object).status = asDraft(before).status;
  },
};
