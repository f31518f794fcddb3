import type { Deployment } from '../../generated/apps-v1.ts';
import type { KindRules } from '../../kind.ts';
import { namedWorkloadWarnings } from '../warnings.ts';
import { defaultDeployment } from './defaults.ts';
import { validateDeployment, validateDeploymentStatusUpdate, validateDeploymentUpdate } from './validation.ts';

export const DEPLOYMENT_RULES: KindRules<Deployment> = {
  defaults: defaultDeployment,
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatusUpdate,
  warnings: namedWorkloadWarnings,
};
