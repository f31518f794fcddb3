import type { RuntimeClass } from '../../generated/node-v1.ts';
import type { KindRules } from '../../kind.ts';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './validation.ts';
import { runtimeClassWarnings } from './warnings.ts';

export const RUNTIME_CLASS_RULES: KindRules<RuntimeClass> = {
  validate: validateRuntimeClass,
  validateUpdate: validateRuntimeClassUpdate,
  warnings: runtimeClassWarnings,
};
