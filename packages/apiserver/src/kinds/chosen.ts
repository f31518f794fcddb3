import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '@binnacle/machinery';
import { SelectorError, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';

/** Of objects that are worked out: those that a call is about, by its name or by its selectors. Throws 400 for others. */
export function chosen<T extends KubeObject>(objects: readonly T[], { info, query }: AnyCall): readonly T[] {
  if (info.verb === 'get') return objects.filter(({ metadata }) => metadata.name === info.name);
  try {
    const labels = parseLabelSelector(query.get('labelSelector'));
    const fields = parseFieldSelector(query.get('fieldSelector'));
    return objects.filter(
      ({ metadata }) =>
        matchesLabels(labels, metadata.labels) &&
        matchesFields(fields, (field) => {
          if (field === 'metadata.name') return metadata.name;
          if (field === 'metadata.namespace') return metadata.namespace;
          throw status.badRequest(`field label not supported: ${field}`);
        }),
    );
  } catch (error) {
    if (error instanceof SelectorError) throw status.badRequest(error.message);
    throw error;
  }
}
