import type { DaemonSet } from '../../generated/apps-v1.ts';
import type { KindRules } from '../../kind.ts';
import { daemonSetWarnings } from '../warnings.ts';
import { defaultDaemonSet } from './defaults.ts';
import { validateDaemonSet, validateDaemonSetStatusUpdate, validateDaemonSetUpdate } from './validation.ts';

export const DAEMON_SET_RULES: KindRules<DaemonSet> = {
  defaults: defaultDaemonSet,
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatusUpdate,
  warnings: daemonSetWarnings,
};
