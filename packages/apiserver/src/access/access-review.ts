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

/** What is asked of a webhook: the spec of a SubjectAccessReview. What is empty is left out, as Go leaves it. */
export function reviewSpec(attributes: RequestAttributes): object {
  const { user, isResource, verb, path } = attributes;
  const { uid = '', groups, extra = {} } = user;
  return {
    ...(isResource
      ? { resourceAttributes: resourceAttributes(attributes) }
      : { nonResourceAttributes: said({ path, verb }) }),
    ...said({ user: user.name }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    ...said({ uid }),
  };
}

function said(texts: { readonly [name: string]: string }): object {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function resourceAttributes(attributes: RequestAttributes): object {
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const fields = fieldRequirements(attributes.fieldSelector ?? '');
  const labels = labelRequirements(attributes.labelSelector ?? '');
  return {
    ...said({ namespace, verb, group, version, resource, subresource, name }),
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

/** By their keys, and each value once: whoever asks for the same is seen to ask for the same. */
function labelRequirements(text: string): readonly SelectorRequirement[] {
  if (text === '') return [];
  const found = read(() =>
    parseLabelSelector(text).requirements.flatMap(({ key, operator, values }) => {
      const named = OPERATORS.get(operator);
      // A comparison of numbers has no form there; without it the question is wider.
      if (named === undefined) return [];
      return [{ key, operator: named, ...(values.length === 0 ? {} : { values: [...new Set(values)].sort() }) }];
    }),
  );
  return found.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}
