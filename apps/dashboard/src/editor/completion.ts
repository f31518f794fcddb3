import { keysOf, valuesOf } from './schema.ts';
import type { KnownKey } from './schema.ts';
import type { KindSchema } from './use-schemas.ts';
import { placeAt } from './yaml-place.ts';

/** What could be written at a place. */
export interface Suggestion {
  readonly label: string;
  readonly type: string;
  readonly description: string;
  /** What is written for it. */
  readonly text: string;
}

/** The suggestions at an offset, and how much of what is there they replace. */
export interface Suggestions {
  readonly from: number;
  readonly options: readonly Suggestion[];
}

const WORD = /[\w.$/-]*$/;

/** What the schema knows at an offset of a YAML text. */
export function suggestionsAt({ schemas, root }: KindSchema, text: string, offset: number): Suggestions | undefined {
  const place = placeAt(text, offset);
  if (place === undefined) return undefined;
  const schema = schemas.at(root, place.path);
  if (schema === undefined) return undefined;
  const from = offset - (WORD.exec(text.slice(0, offset))?.[0].length ?? 0);
  // An item of a list may be one of some values, as what stands behind a key may.
  if (place.at === 'value' || (place.path.at(-1) === '[]' && schema.properties === undefined)) {
    const options = valuesOf(schema).map((label) => ({ label, type: '', description: '', text: label }));
    return options.length === 0 ? undefined : { from, options };
  }
  const taken = new Set(place.siblings);
  const options = keysOf(schemas, schema)
    .filter(({ name }) => !taken.has(name))
    .map((key) => ({ label: key.name, type: key.type, description: key.description, text: textOf(key, place.column) }));
  return options.length === 0 ? undefined : { from, options };
}

function textOf({ name, type }: KnownKey, column: number): string {
  const indent = ' '.repeat(column + 2);
  if (type.startsWith('[]')) return `${name}:\n${indent}- `;
  return type === 'object' || type === 'map' ? `${name}:\n${indent}` : `${name}: `;
}

/** What the schema says of the key at an offset; undefined: nothing, or there is no key. */
export function explanationAt(
  { schemas, root }: KindSchema,
  text: string,
  offset: number,
): { readonly name: string; readonly type: string; readonly description: string } | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end === -1 ? undefined : end);
  const colon = line.search(/:(?:\s|$)/);
  if (colon === -1 || offset - start > colon) return undefined;
  const place = placeAt(text, start + colon + 1);
  const schema = place === undefined ? undefined : schemas.at(root, place.path);
  if (place === undefined || schema === undefined) return undefined;
  const holder = schemas.at(root, place.path.slice(0, -1)) ?? {};
  const known = keysOf(schemas, holder).find(({ name }) => name === place.key);
  return { name: place.key, type: known?.type ?? schema.type ?? '', description: schema.description ?? '' };
}
