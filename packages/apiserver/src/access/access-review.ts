import { parseFieldSelector, parseLabelSelector, SelectorError } from '@binnacle/machinery';
import type { SelectorOperator } from '@binnacle/machinery';
import type { RequestAttributes } from '../ports/authorization.ts';

interface SelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

const OPERATORS = new Map<SelectorOperator, SelectorRequirement['operator']>([
  ['=', 'In'],
  ['==', 'In'],
  ['in', 'In'],
  ['!=', 'NotIn'],
  ['notin', 'NotIn'],
  ['exists', 'Exists'],
  ['!', 'DoesNotExist'],
]);

/** What is asked of a webhook: the spec of a SubjectAccessReview. Empty texts are left out, as Go leaves them. */
export function reviewSpec(attributes: RequestAttributes): object {
  const { user, isResource, verb, path } = attributes;
  return {
    ...(isResource
      ? { resourceAttributes: resourceAttributes(attributes) }
      : { nonResourceAttributes: { path, verb } }),
    user: user.name,
    groups: user.groups,
    ...(user.extra === undefined ? {} : { extra: user.extra }),
    ...(user.uid === undefined ? {} : { uid: user.uid }),
  };
}

function resourceAttributes(attributes: RequestAttributes): object {
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const texts = Object.entries({ namespace, verb, group, version, resource, subresource, name });
  const fields = fieldRequirements(attributes.fieldSelector ?? '');
  const labels = labelRequirements(attributes.labelSelector ?? '');
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

/** A selector that cannot be read narrows nothing: the request is refused later. */
function read<T>(parse: () => readonly T[]): readonly T[] {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}

function fieldRequirements(text: string): readonly SelectorRequirement[] {
  if (text === '') return [];
  return read(() =>
    parseFieldSelector(text).terms.map(({ field, operator, value }) => ({
      key: field,
      operator: operator === '=' ? 'In' : 'NotIn',
      values: [value],
    })),
  );
}

function labelRequirements(text: string): readonly SelectorRequirement[] {
  if (text === '') return [];
  return read(() =>
    parseLabelSelector(text).requirements.flatMap(({ key, operator, values }) => {
      const named = OPERATORS.get(operator);
      if (named === undefined) return [];
      return [{ key, operator: named, ...(values.length === 0 ? {} : { values: [...values] }) }];
    }),
  );
}
