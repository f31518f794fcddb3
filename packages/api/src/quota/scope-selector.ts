import { matchesLabels, selectorFromObject } from '@binnacle/machinery';
import type { ScopedResourceSelectorRequirement } from '../generated/core-v1.ts';

/** Whether one of these names is selected; without names there is nothing that `In` could find. */
export function selectsName(selector: ScopedResourceSelectorRequirement, names: readonly string[]): boolean {
  const { scopeName, operator, values } = selector;
  if (operator === 'Exists') return names.length > 0;
  const parsed = selectorFromObject({
    matchExpressions: [{ key: scopeName, operator, ...(values === undefined ? {} : { values }) }],
  });
  if (names.length === 0) return matchesLabels(parsed, {});
  return names.some((name) => matchesLabels(parsed, { [scopeName]: name }));
}
