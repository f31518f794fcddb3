import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '@binnacle/machinery';
import { SelectorError, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';

const FIELDS: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

/** Of objects that are worked out: those that a call is about, by its name or by its selectors. Throws 400 for others. */
export function chosen<T extends KubeObject>(objects: readonly T[], { info, query }: AnyCall): readonly T[] {
  if (info.verb === 'get') return objects.filter(({ metadata }) => metadata.name === info.name);
  try {
    const labels = parseLabelSelector(query.get('labelSelector'));
    const fields = parseFieldSelector(query.get('fieldSelector'));
    const unknown = fields.terms.find(({ field }) => !FIELDS.has(field));
    if (unknown !== undefined) throw status.badRequest(`field label not supported: ${unknown.field}`);
    return objects.filter(
      ({ metadata }) =>
        matchesLabels(labels, metadata.labels) &&
        matchesFields(fields, (field) => (field === 'metadata.name' ? metadata.name : metadata.namespace)),
    );
  } catch (error) {
    if (error instanceof SelectorError) throw status.badRequest(error.message);
    throw error;
  }
}
