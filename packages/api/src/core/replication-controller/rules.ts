import type { ReplicationController } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { namedWorkloadWarnings } from '../../apps/warnings.ts';
import { defaultReplicationController } from './defaults.ts';
import { validateReplicationController, validateReplicationControllerStatusUpdate } from './validation.ts';

export const REPLICATION_CONTROLLER_RULES: KindRules<ReplicationController> = {
  defaults: defaultReplicationController,
  validate: validateReplicationController,
  validateUpdate: validateReplicationController,
  validateStatusUpdate: validateReplicationControllerStatusUpdate,
  warnings: namedWorkloadWarnings,
  fields: { 'status.replicas': (controller) => String(controller.status?.replicas ?? 0) },
};
