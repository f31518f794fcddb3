/** Sets hold nothing twice, and keyed lists no two items of one key. */
import type { FieldError } from '../../status-error.ts';
import { child, duplicate, FIELD_ERRORS_MAX, index, invalid } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import { canonicalText } from './canonical.ts';
import { isMap } from './node.ts';
import type { StructuralNode } from './node.ts';

/** What is wrong with the lists of a value, by the types of lists; at most 1000 mistakes. */
export function listErrors(value: unknown, node: StructuralNode, path: FieldPath = ''): readonly FieldError[] {
  const errors: FieldError[] = [];
  collect(value, node, { path, errors });
  return errors;
}

interface Place {
  readonly path: FieldPath;
  readonly errors: FieldError[];
}

function collect(value: unknown, node: StructuralNode, place: Place): void {
  const { path, errors } = place;
  if (errors.length >= FIELD_ERRORS_MAX) return;
  if (Array.isArray(value)) {
    if (node.listType !== 'atomic') collectRepeated(value, node, place);
    const { items } = node;
    if (items === undefined) return;
    for (const [i, item] of value.entries()) collect(item, items, { errors, path: index(path, i) });
  } else if (isMap(value)) {
    for (const key in value) {
      const inner = node.properties.get(key) ?? node.additional;
      if (inner !== undefined) collect(value[key], inner, { errors, path: child(path, key) });
    }
  }
}

function collectRepeated(list: readonly unknown[], node: StructuralNode, { path, errors }: Place): void {
  const odd = node.listType === 'map' ? list.findIndex((item) => item !== null && !isMap(item)) : -1;
  if (odd >= 0) {
    errors.push(invalid(index(path, odd), list[odd], 'must be an object for an array of list-type map'));
    return;
  }
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    if (errors.length >= FIELD_ERRORS_MAX) return;
    const key = node.listType === 'set' ? item : keysOf(item, node);
    const text = canonicalText(key ?? null);
    if (seen.has(text)) errors.push(duplicate(index(path, i), key));
    seen.add(text);
  }
}

/** The members of an item that make its key; a key that is absent counts as its default. */
function keysOf(item: unknown, node: StructuralNode): unknown {
  if (!isMap(item)) return item;
  const entries = node.listKeys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]] as const);
  return Object.fromEntries(entries);
}
