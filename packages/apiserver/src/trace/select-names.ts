import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  status,
} from '@binnacle/machinery';
import type { Query } from '../request/query.ts';

const NAME = 'metadata.name';

/**
 * Which names the selectors of a request take, of objects that have a name and no labels. Throws 400 for a selector that
 * cannot be read, and for other fields.
 */
export function selectionOfNames(query: Query): (name: string) => boolean {
  try {
    const fields = parseFieldSelector(query.get('fieldSelector'));
    const labels = parseLabelSelector(query.get('labelSelector'));
    for (const { field } of fields.terms) {
      if (field !== NAME) throw status.badRequest(`field label not supported: ${field}`);
    }
    const takesUnlabelled = matchesLabels(labels, {});
    return (name) => takesUnlabelled && matchesFields(fields, () => name);
  } catch (error) {
    if (error instanceof SelectorError) throw status.badRequest(error.message);
    throw error;
  }
}
