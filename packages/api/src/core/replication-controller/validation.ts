import type { FieldError } from '@binnacle/machinery';
import { validateReplicaCounts } from '../../apps/replica-counts.ts';
import { validateLongRunning, validateMatch } from '../../apps/template-validation.ts';
import type { ReplicationController } from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validatePodTemplateSpec } from '../pod/validation.ts';

const SPEC = fieldPath('spec');

/** Create and update: everything in a replication controller's spec may change. */
export function validateReplicationController(controller: ReplicationController): FieldError[] {
  const report = new Report();
  const spec = controller.spec ?? {};
  report.nonNegative(SPEC.child('minReadySeconds'), spec.minReadySeconds);
  const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
  if (!hasSelector) report.required(SPEC.child('selector'));
  report.nonNegative(SPEC.child('replicas'), spec.replicas);
  const path = SPEC.child('template');
  const template = spec.template;
  if (!template) report.required(path);
  else {
    if (hasSelector) validateMatch({ selector: { matchLabels: spec.selector ?? {} }, template }, path, report);
    validatePodTemplateSpec(template, path, report);
    validateLongRunning({ kind: 'ReplicationController', template }, path, report);
  }
  return report.errors;
}

export function validateReplicationControllerStatusUpdate(controller: ReplicationController): FieldError[] {
  const report = new Report();
  validateReplicaCounts(
    controller.status ?? {},
    { path: fieldPath('status'), ownPart: 'fullyLabeledReplicas' },
    report,
  );
  return report.errors;
}
