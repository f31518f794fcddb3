import type { Pod, PodTemplate } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultPod, defaultPodTemplateObject } from './defaults.ts';
import { POD_FIELDS } from './fields.ts';
import { podStatusWarnings, podTemplateWarnings, podWarnings } from './warnings.ts';
import { validatePodTemplate, validatePod, validatePodStatusUpdate, validatePodUpdate } from './validation.ts';

export const POD_RULES: KindRules<Pod> = {
  defaults: defaultPod,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  warnings: podWarnings,
  statusWarnings: podStatusWarnings,
  fields: POD_FIELDS,
};

export const POD_TEMPLATE_RULES: KindRules<PodTemplate> = {
  defaults: defaultPodTemplateObject,
  validate: validatePodTemplate,
  validateUpdate: validatePodTemplate,
  warnings: podTemplateWarnings,
};
