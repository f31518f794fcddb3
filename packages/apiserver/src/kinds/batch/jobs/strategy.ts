import { generateJobSelector } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';

/** A job selects the pods that carry its uid, unless its owner says which. */
export const JOB_STRATEGY: Strategy = {
  completeNew: (object: KubeObject) => generateJobSelector(object as Parameters<typeof generateJobSelector>[0]),
};
