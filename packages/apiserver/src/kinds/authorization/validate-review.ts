import type { ResourceAttributes } from '@binnacle/api/authorization/v1';
import { field, validateExpression, validateOperator } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';

const PATH = 'spec.resourceAttributes';

type FieldSelector = NonNullable<ResourceAttributes['fieldSelector']>;
type LabelSelector = NonNullable<ResourceAttributes['labelSelector']>;

/** What is wrong with the selectors of a review. Operators that nobody knows are not: newer servers may ask with them. */
export function validateReviewSelectors(on: ResourceAttributes | undefined): FieldError[] {
  const { fieldSelector, labelSelector } = on ?? {};
  return [
    ...(fieldSelector === undefined ? [] : fieldProblems(fieldSelector, field.child(PATH, 'fieldSelector'))),
    ...(labelSelector === undefined ? [] : labelProblems(labelSelector, field.child(PATH, 'labelSelector'))),
  ];
}

function fieldProblems(selector: FieldSelector, path: string): FieldError[] {
  const each = field.eachError(selector.requirements ?? [], ({ key, operator, values = [] }, at) => {
    const here = field.index(field.child(path, 'requirements'), at);
    return [
      ...(key === '' ? [field.required(field.child(here, 'key'), 'must be specified')] : []),
      ...(isKnown(operator) ? validateOperator(operator, values.length, here) : []),
    ];
  });
  return [...formProblems(selector, path), ...each];
}

function labelProblems(selector: LabelSelector, path: string): FieldError[] {
  const each = field.eachError(selector.requirements ?? [], (one, at) => {
    const here = field.index(field.child(path, 'requirements'), at);
    // One that is known and wants no values: those of an unknown one are looked at all the same.
    const shown = isKnown(one.operator) ? one : { ...one, operator: (one.values?.length ?? 0) > 0 ? 'In' : 'Exists' };
    return validateExpression(shown, here);
  });
  return [...formProblems(selector, path), ...each];
}

/** Either as text or as requirements. */
function formProblems(
  { rawSelector = '', requirements = [] }: FieldSelector | LabelSelector,
  path: string,
): FieldError[] {
  const [isText, isList] = [rawSelector !== '', requirements.length > 0];
  if (isText && isList) {
    const why = 'may not specified at the same time as requirements';
    return [field.invalid(field.child(path, 'rawSelector'), rawSelector, why)];
  }
  if (isText || isList) return [];
  const why = `when ${path} is specified, requirements or rawSelector is required`;
  return [field.required(field.child(path, 'requirements'), why)];
}

function isKnown(operator: string): boolean {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
}
