import { parseFieldSelector, requiresExactMatch, SelectorError } from '@binnacle/machinery';

/** The one value that the text of a field selector allows for a field; undefined: several, or nobody can read it. */
export function requiredField(selector: string, field: string): string | undefined {
  if (selector === '') return undefined;
  try {
    return requiresExactMatch(parseFieldSelector(selector), field);
  } catch (error) {
    // Whoever selects by it refuses it.
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
