import type { ReplicaSet } from '../../generated/apps-v1.ts';
import type { KindRules } from '../../kind.ts';
import { namedWorkloadWarnings } from '../warnings.ts';
import { defaultReplicaSet } from './defaults.ts';
import { validateReplicaSet, validateReplicaSetStatusUpdate, validateReplicaSetUpdate } from './validation.ts';

export const REPLICA_SET_RULES: KindRules<ReplicaSet> = {
  defaults: defaultReplicaSet,
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  validateStatusUpdate: validateReplicaSetStatusUpdate,
  warnings: namedWorkloadWarnings,
};
