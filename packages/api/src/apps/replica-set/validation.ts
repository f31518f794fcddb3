import type { FieldError } from '@binnacle/machinery';
import type { ReplicaSet } from '../../generated/apps-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateReplicaCounts } from '../replica-counts.ts';
import { validateSelectorAndTemplate } from '../template-validation.ts';

const SPEC = fieldPath('spec');

export function validateReplicaSet(set: ReplicaSet): FieldError[] {
  const report = new Report();
  validateSpec(set, report);
  return report.errors;
}

/** The selector of a replica set cannot change. */
export function validateReplicaSetUpdate(set: ReplicaSet, before: ReplicaSet): FieldError[] {
  const report = new Report();
  validateSpec(set, report);
  const { selector } = set.spec;
  const isSame = isSemanticallyEqual('apps.v1.ReplicaSetSpec.selector', selector, before.spec.selector);
  report.immutable(SPEC.child('selector'), selector, isSame);
  return report.errors;
}

export function validateReplicaSetStatusUpdate(set: ReplicaSet): FieldError[] {
  const report = new Report();
  validateReplicaCounts(
    set.status ?? { replicas: 0 },
    { path: fieldPath('status'), ownPart: 'fullyLabeledReplicas' },
    report,
  );
  return report.errors;
}

function validateSpec(set: ReplicaSet, report: Report): void {
  const { spec } = set;
  report.nonNegative(SPEC.child('replicas'), spec.replicas);
  report.nonNegative(SPEC.child('minReadySeconds'), spec.minReadySeconds);
  const template = spec.template ?? { metadata: {}, spec: { containers: [] } };
  validateSelectorAndTemplate({ kind: 'ReplicaSet', selector: spec.selector, template }, SPEC, report);
}
