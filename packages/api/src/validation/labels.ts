import {
  names,
  validateAnnotations as annotationErrors,
  validateLabels as labelErrors,
  validateLabelSelector as selectorErrors,
} from '@binnacle/machinery';
import type { LabelSelector } from '@binnacle/machinery';
import type { FieldPath } from './path.ts';
import type { Report } from './report.ts';

// Machinery's checks of labels, annotations and selectors, told to a report.

type Labels = { readonly [key: string]: string } | undefined | null;

export function validateLabelName(name: string, path: FieldPath, report: Report): void {
  const errors = names.labelKeyErrors(name);
  if (errors.length > 0) report.invalidEach(path, name, errors);
}

export function validateLabels(labels: Labels, path: FieldPath, report: Report): void {
  if (labels) report.addAll(labelErrors(labels, path.toString()));
}

export function validateAnnotations(annotations: Labels, path: FieldPath, report: Report): void {
  if (annotations) report.addAll(annotationErrors(annotations, path.toString()));
}

export function validateLabelSelector(
  selector: LabelSelector | undefined | null,
  path: FieldPath,
  report: Report,
): void {
  if (selector) report.addAll(selectorErrors(selector, path.toString()));
}

/** A selector that selects everything. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && !selector.matchExpressions?.length;
}
