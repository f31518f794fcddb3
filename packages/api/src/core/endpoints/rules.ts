import type { Endpoints } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultEndpoints } from './defaults.ts';
import { validateEndpoints } from './validation.ts';
import { endpointsWarnings } from '../warnings.ts';

export const ENDPOINTS_RULES: KindRules<Endpoints> = {
  defaults: defaultEndpoints,
  validate: validateEndpoints,
  validateUpdate: validateEndpoints,
  warnings: endpointsWarnings,
};
