import type { Pod } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultPod } from './defaults.ts';
import { POD_FIELDS } from './fields.ts';
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from './validation.ts';

export const POD_RULES: KindRules<Pod> = {
  defaults: defaultPod,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  fields: POD_FIELDS,
};
