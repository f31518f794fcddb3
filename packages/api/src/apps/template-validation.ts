import { matchesLabels, selectorFromObject } from '@binnacle/machinery';
import type { LabelSelector } from '@binnacle/machinery';
import { validatePodTemplateSpec } from '../core/pod/validation.ts';
import type { PodTemplateSpec } from '../generated/core-v1.ts';
import { isEmptySelector, validateLabelSelector } from '../validation/labels.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const MISMATCH = '`selector` does not match template `labels`';

export interface SelectingWorkload {
  /** As its kind is named in messages: `ReplicaSet`. */
  readonly kind: string;
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec;
}

/** Selector and template of a workload whose pods run until somebody stops them; `path` is the spec's. */
export function validateSelectorAndTemplate(workload: SelectingWorkload, path: FieldPath, report: Report): void {
  const { selector, template } = workload;
  const templatePath = path.child('template');
  const isReadable = validateSelector(selector, path.child('selector'), report);
  if (isReadable) validateMatch({ selector, template }, templatePath, report);
  validatePodTemplateSpec(template, templatePath, report);
  validateLongRunning(workload, templatePath, report);
}

/** Whether pods can be held against it. */
function validateSelector(selector: LabelSelector | undefined, path: FieldPath, report: Report): boolean {
  if (!selector) {
    report.required(path);
    return true;
  }
  const before = report.count;
  validateLabelSelector(selector, path, report);
  const isReadable = report.count === before;
  // Upstream has the same words for replica sets.
  if (isEmptySelector(selector)) report.invalid(path, selector, 'empty selector is invalid for deployment');
  return isReadable;
}

/** A workload must select the pods that it makes. One without a selector selects nothing, an empty one all. */
export function validateMatch(
  given: { readonly selector: LabelSelector | undefined; readonly template: PodTemplateSpec },
  path: FieldPath,
  report: Report,
): void {
  const labels = given.template.metadata?.labels;
  if (given.selector && matchesLabels(selectorFromObject(given.selector), labels)) return;
  report.invalid(path.child('metadata').child('labels'), labels ?? null, MISMATCH);
}

/** Pods that end by themselves make no sense here. */
export function validateLongRunning(
  workload: { readonly kind: string; readonly template: PodTemplateSpec },
  path: FieldPath,
  report: Report,
): void {
  const spec = workload.template.spec;
  const specPath = path.child('spec');
  if (spec?.restartPolicy !== 'Always') {
    report.unsupported(specPath.child('restartPolicy'), spec?.restartPolicy ?? '', ['Always']);
  }
  if (spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds !== null) {
    const detail = `activeDeadlineSeconds in ${workload.kind} is not Supported`;
    report.forbidden(specPath.child('activeDeadlineSeconds'), detail);
  }
}
