import type { FieldError } from '@binnacle/machinery';
import type { Namespace } from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { finalizerErrors } from '../finalizers.ts';

const FINALIZERS = fieldPath('spec', 'finalizers');
const PHASE = fieldPath('status', 'Phase');

export function validateNamespace(namespace: Namespace): FieldError[] {
  const report = new Report();
  for (const name of namespace.spec?.finalizers ?? []) report.invalidEach(FINALIZERS, name, finalizerErrors(name));
  return report.errors;
}

/** A change of nothing but labels and the like. */
export function validateNamespaceUpdate(): FieldError[] {
  return [];
}

/** The phase tells whether the namespace is being deleted, nothing else. */
export function validateNamespaceStatusUpdate(namespace: Namespace): FieldError[] {
  const report = new Report();
  const phase = namespace.status?.phase ?? '';
  if (namespace.metadata.deletionTimestamp) {
    const detail = "may only be 'Terminating' if `deletionTimestamp` is not empty";
    if (phase !== 'Terminating') report.invalid(PHASE, phase, detail);
  } else if (phase !== 'Active') {
    report.invalid(PHASE, phase, "may only be 'Active' if `deletionTimestamp` is empty");
  }
  return report.errors;
}

/** A change by the subresource `finalize`. */
export function validateNamespaceFinalize(namespace: Namespace): FieldError[] {
  const report = new Report();
  for (const [at, name] of (namespace.spec?.finalizers ?? []).entries()) {
    report.invalidEach(FINALIZERS.index(at), name, finalizerErrors(name));
  }
  return report.errors;
}
