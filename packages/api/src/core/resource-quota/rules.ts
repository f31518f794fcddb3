import type { ResourceQuota } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { validateResourceQuota, validateResourceQuotaStatusUpdate, validateResourceQuotaUpdate } from './validation.ts';
import { quotaWarnings } from '../warnings.ts';

export const RESOURCE_QUOTA_RULES: KindRules<ResourceQuota> = {
  validate: validateResourceQuota,
  validateUpdate: validateResourceQuotaUpdate,
  validateStatusUpdate: validateResourceQuotaStatusUpdate,
  warnings: quotaWarnings,
};
