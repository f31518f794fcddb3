import { deepEqual, membersOf } from '@binnacle/machinery';
import type { JsonObject } from './dialect.ts';

/** A document of another API server, and the paths of it that are shown. */
export interface OtherDocument {
  readonly document: JsonObject;
  /** `/apis/GROUP/VERSION`: this path and all below it. */
  readonly prefix: string;
}

const DEFINITIONS = '#/definitions/';
/** Documents come from others: what is nested deeper is no schema. */
const DEPTH_MAX = 256;

/**
 * A Swagger 2.0 document with the paths of others, and what these refer to. A definition of the same name that says
 * something else gets a name of its own (`…_v2`), as upstream's aggregator does.
 */
export function mergeV2(own: JsonObject, others: readonly OtherDocument[]): JsonObject {
  if (others.length === 0) return own;
  const paths = new Map(Object.entries(membersOf(own['paths'])));
  const definitions = new Map(Object.entries(membersOf(own['definitions'])));
  for (const { document, prefix } of others) {
    const shown = Object.entries(membersOf(document['paths'])).filter(
      ([path]) => path === prefix || path.startsWith(`${prefix}/`),
    );
    const theirs = membersOf(document['definitions']);
    const used = referredTo(shown, theirs);
    const names = namesFor(used, definitions);
    for (const [name, definition] of used) definitions.set(names.get(name) ?? name, renamed(definition, names));
    for (const [path, item] of shown) paths.set(path, renamed(item, names));
  }
  return { ...own, paths: sorted(paths), definitions: sorted(definitions) };
}

/** Definitions that are reached from `roots`. */
function referredTo(roots: unknown, definitions: { readonly [name: string]: unknown }): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const due: unknown[] = [roots];
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    for (const name of referencesIn(next, 0)) {
      if (found.has(name) || !Object.hasOwn(definitions, name)) continue;
      found.set(name, definitions[name]);
      due.push(definitions[name]);
    }
  }
  return found;
}

function* referencesIn(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string' && child.startsWith(DEFINITIONS)) {
      yield child.slice(DEFINITIONS.length);
    } else {
      yield* referencesIn(child, depth + 1);
    }
  }
}

/** New names of those that are taken by something else. */
function namesFor(used: ReadonlyMap<string, unknown>, taken: ReadonlyMap<string, unknown>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, definition] of used) {
    const known = taken.get(name);
    if (known === undefined || deepEqual(known, definition)) continue;
    let number = 2;
    while (taken.has(`${name}_v${number}`) && !deepEqual(taken.get(`${name}_v${number}`), definition)) number++;
    names.set(name, `${name}_v${number}`);
  }
  return names;
}

function renamed(value: unknown, names: ReadonlyMap<string, string>, depth = 0): unknown {
  if (names.size === 0 || typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((child: unknown) => renamed(child, names, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]: [string, unknown]) => {
      if (key !== '$ref' || typeof child !== 'string') return [key, renamed(child, names, depth + 1)];
      const name = names.get(child.slice(DEFINITIONS.length));
      return [key, name === undefined ? child : `${DEFINITIONS}${name}`];
    }),
  );
}

function sorted(map: ReadonlyMap<string, unknown>): JsonObject {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1))) as JsonObject;
}
