import { names } from '@binnacle/machinery';
import type { StatefulSet } from '../../generated/apps-v1.ts';
import type { KindRules } from '../../kind.ts';
import { statefulSetWarnings } from '../warnings.ts';
import { defaultStatefulSet } from './defaults.ts';
import { validateStatefulSet, validateStatefulSetStatusUpdate, validateStatefulSetUpdate } from './validation.ts';

export const STATEFUL_SET_RULES: KindRules<StatefulSet> = {
  nameCheck: names.dnsLabelErrors,
  defaults: defaultStatefulSet,
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatusUpdate,
  warnings: statefulSetWarnings,
};
