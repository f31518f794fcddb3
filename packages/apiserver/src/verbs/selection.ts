import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  requiresExactMatch,
  SelectorError,
  status,
} from '@binnacle/machinery';
import type { FieldSelector, KubeObject, Selector } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { Selection } from '../cache/selection.ts';
import type { Call, ServedResource } from '../catalogue/definition.ts';
import { keyOf } from '../storage/keys.ts';

type Fields = { readonly [label: string]: (object: KubeObject) => string };

/** Reads namespace, name and selectors of a call. 400 for what cannot be read or selected by. */
export function selectionOf(call: Call): Selection {
  const { served, info, query } = call;
  const labels = parse(query.get('labelSelector'), parseLabelSelector);
  const fields = parse(query.get('fieldSelector'), parseFieldSelector);
  const known = served.fields;
  for (const { field } of fields?.terms ?? []) checkField(known, field);
  // A legacy watch path of one object names it in the path.
  const pathName = info.legacyWatch && info.name !== '' ? info.name : undefined;
  if (pathName !== undefined && fields !== undefined && requiresExactMatch(fields, 'metadata.name') !== pathName) {
    throw status.badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const name = pathName ?? (fields === undefined ? undefined : requiresExactMatch(fields, 'metadata.name'));
  const namespace = served.info.namespaced ? info.namespace : '';
  const isOne = name !== undefined && (namespace !== '' || !served.info.namespaced);
  return {
    namespace,
    key: isOne ? keyOf(served.info.namespaced, namespace, name) : undefined,
    indexed: fields === undefined ? undefined : indexedValue(served, fields),
    narrowed: labels !== undefined || fields !== undefined || name !== undefined,
    ...matching(served, { name, labels, fields }),
  };
}

/** Fields are read from the stored object, or from what a conversion makes of it. */
function matching(
  served: ServedResource,
  {
    name,
    labels,
    fields,
  }: { readonly name: string | undefined; labels: Selector | undefined; fields: FieldSelector | undefined },
): Pick<Selection, 'matches' | 'shown'> {
  const { selectsViews, fields: known } = served;
  const hasFields = (entry: Entry, object: KubeObject): boolean =>
    fields === undefined || matchesFields(fields, (field) => readField(known, field, { entry, object }));
  return {
    matches: (entry) =>
      (name === undefined || entry.name === name) &&
      (labels === undefined || matchesLabels(labels, entry.object.metadata.labels)) &&
      (selectsViews || hasFields(entry, entry.object)),
    ...(selectsViews && fields !== undefined ? { shown: (entry) => hasFields(entry, served.view(entry)) } : {}),
  };
}

function parse<T extends Selector | FieldSelector>(text: string, read: (text: string) => T): T | undefined {
  if (text === '') return undefined;
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SelectorError) throw status.badRequest(error.message);
    throw error;
  }
}

function checkField(known: Fields | undefined, field: string): void {
  if (field === 'metadata.name' || field === 'metadata.namespace') return;
  if (known === undefined) {
    throw status.badRequest(
      `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  if (!Object.hasOwn(known, field)) throw status.badRequest(`field label not supported: ${field}`);
}

function readField(
  known: Fields | undefined,
  field: string,
  { entry, object }: { readonly entry: Entry; readonly object: KubeObject },
): string | undefined {
  if (field === 'metadata.name') return entry.name;
  if (field === 'metadata.namespace') return entry.namespace;
  return known?.[field]?.(object);
}

function indexedValue(served: ServedResource, fields: FieldSelector): string | undefined {
  const { indexedField } = served.stored;
  return indexedField === undefined ? undefined : requiresExactMatch(fields, indexedField);
}
