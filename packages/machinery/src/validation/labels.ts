import type { LabelSelector } from '../generated/meta-v1.ts';
import type { FieldError } from '../status-error.ts';
import { child, eachError, FIELD_ERRORS_MAX, forbidden, index, invalid, invalidAll, required } from './field.ts';
import type { FieldPath } from './field.ts';
import { labelKeyErrors, labelValueErrors } from './names.ts';

/** Keys and values of labels. */
export function validateLabels(labels: { readonly [key: string]: string } | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name in labels) {
    const value = labels[name] ?? '';
    const [ofKey, ofValue] = [labelKeyErrors(name), labelValueErrors(value)];
    if (ofKey.length > 0) errors.push(...invalidAll(path, name, ofKey));
    if (ofValue.length > 0) errors.push(...invalidAll(path, value, ofValue));
    if (errors.length >= FIELD_ERRORS_MAX) break;
  }
  return errors;
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

/** A selector object, as workloads and policies carry it. */
export function validateLabelSelector(selector: LabelSelector | undefined | null, path: FieldPath): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const expressions = eachError(selector.matchExpressions ?? [], (expression, i) =>
    validateExpression(expression, index(child(path, 'matchExpressions'), i)),
  );
  return [...validateLabels(selector.matchLabels, child(path, 'matchLabels')), ...expressions];
}

/** One requirement of a selector of labels. */
export function validateExpression(expression: Expression, path: FieldPath): FieldError[] {
  const values = expression.values ?? [];
  return [
    ...validateOperator(expression.operator, values.length, path),
    ...invalidAll(child(path, 'key'), expression.key, labelKeyErrors(expression.key)),
    ...eachError(values, (value, i) => invalidAll(index(child(path, 'values'), i), value, labelValueErrors(value))),
  ];
}

/** Whether a requirement of a selector has values where its operator wants some. `path`: of the requirement. */
export function validateOperator(operator: string, values: number, path: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values > 0
        ? []
        : [required(child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values === 0
        ? []
        : [forbidden(child(path, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(child(path, 'operator'), operator, 'not a valid selector operator')];
  }
}
