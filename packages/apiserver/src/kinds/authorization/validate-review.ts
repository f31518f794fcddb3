import type { ResourceAttributes, SubjectAccessReviewSpec } from '@binnacle/api/authorization/v1';
import { field, validateExpression, validateOperator } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';

const PATH = 'spec.resourceAttributes';

type FieldSelector = NonNullable<ResourceAttributes['fieldSelector']>;
type LabelSelector = NonNullable<ResourceAttributes['labelSelector']>;

/** What a review asks about. */
export type Asked = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** Whether it asks about one thing. */
export function validateReviewAttributes({ resourceAttributes: on, nonResourceAttributes: path }: Asked): FieldError[] {
  if (on !== undefined && path !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes';
    return [field.invalid('spec.nonResourceAttributes', path, why)];
  }
  if (on !== undefined || path !== undefined) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [field.invalid('spec.resourceAttributes', null, why)];
}

/** The same of a review of somebody, whom it has to name. */
export function validateReviewSubject(spec: SubjectAccessReviewSpec): FieldError[] {
  const { user = '', groups = [] } = spec;
  const isNamed = user !== '' || groups.length > 0;
  return [
    ...validateReviewAttributes(spec),
    ...(isNamed ? [] : [field.invalid('spec.user', user, 'at least one of user or group must be specified')]),
  ];
}

/** A review is no object: nothing of it is kept. `namespace`: where it is asked, empty for the whole cluster. */
export function validateReviewMetadata({ metadata }: Pick<KubeObject, 'metadata'>, namespace: string): FieldError[] {
  const { namespace: _namespace, managedFields: _managedFields, ...rest } = metadata;
  if (Object.values(rest).every(isNothing)) return [];
  const why = namespace === '' ? 'must be empty' : 'must be empty except for namespace';
  return [field.invalid('metadata', namespace === '' ? rest : { ...rest, namespace }, why)];
}

/** What is asked in a namespace is asked about it. */
export function validateLocalReview(
  { resourceAttributes: on, nonResourceAttributes: path }: Asked,
  namespace: string,
): FieldError[] {
  const problems: FieldError[] = [];
  if (on !== undefined && (on.namespace ?? '') !== namespace) {
    const why = 'must match metadata.namespace';
    problems.push(field.invalid(field.child(PATH, 'namespace'), on.namespace ?? '', why));
  }
  if (path !== undefined)
    problems.push(field.invalid('spec.nonResourceAttributes', path, 'disallowed on this kind of request'));
  return problems;
}

/** As Go compares an object of nothing: empty lists and maps are none. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

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
