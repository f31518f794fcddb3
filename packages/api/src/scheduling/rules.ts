import type { PriorityClass } from '../generated/scheduling-v1.ts';
import type { KindRules } from '../kind.ts';
import { defaultPriorityClass } from './defaults.ts';
import { validatePriorityClass, validatePriorityClassUpdate } from './validation.ts';

export const PRIORITY_CLASS_RULES: KindRules<PriorityClass> = {
  defaults: defaultPriorityClass,
  validate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
};
