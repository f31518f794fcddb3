import type { LimitRange } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultLimitRange } from './defaults.ts';
import { validateLimitRange } from './validation.ts';

export const LIMIT_RANGE_RULES: KindRules<LimitRange> = {
  defaults: defaultLimitRange,
  validate: validateLimitRange,
  validateUpdate: validateLimitRange,
};
