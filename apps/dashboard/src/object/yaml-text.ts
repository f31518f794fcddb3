import { dump, load, loadAll } from 'js-yaml';

/** An object as people read it; managed fields only when asked for. */
export function yamlOf(object: unknown, { managedFields = false }: { readonly managedFields?: boolean } = {}): string {
  const shown = managedFields ? object : withoutManagedFields(object);
  try {
    return dump(shown, OPTIONS);
  } catch (error) {
    // The writer looks at strings by expressions that want a stack as deep as megabytes are long.
    if (error instanceof RangeError) return dumpQuoted(shown);
    throw error;
  }
}

const OPTIONS = { lineWidth: -1, noRefs: true };
/** Characters; every browser's stack carries so many. */
const QUOTED_FROM = 50_000;

/** With long strings in double quotes, escaped as in JSON, which is YAML too. */
function dumpQuoted(object: unknown): string {
  // Nobody who wrote the object knew this name.
  const mark = `long-${crypto.getRandomValues(new Uint32Array(4)).join('-')}-`;
  const long: string[] = [];
  const marked = JSON.stringify(object, (_key, value: unknown) =>
    typeof value === 'string' && value.length > QUOTED_FROM ? `${mark}${long.push(value) - 1}-` : value,
  );
  const text = dump(JSON.parse(marked), OPTIONS);
  return text.replaceAll(new RegExp(String.raw`${mark}(\d+)-`, 'g'), (_all, at: string) =>
    JSON.stringify(long[Number(at)]),
  );
}

const READING = { maxAliases: 100 };

/** What somebody wrote. Throws for what is no YAML of one object. */
export function readYaml(text: string): unknown {
  const value = load(text, READING);
  if (!isObject(value)) throw new TypeError('one object is wanted');
  return value;
}

/** More at once nobody looks through. */
const DOCUMENTS_MAX = 500;

/**
 * The objects that somebody wrote, one after the other between `---`; empty documents are none, and of a List its items
 * count. Throws for what is no YAML, for what is no object, and for none or too many.
 */
export function readDocuments(text: string): readonly object[] {
  const found = loadAll(text, READING).flatMap((value): readonly object[] => {
    if (value === null || value === undefined) return [];
    if (!isObject(value)) throw new TypeError('objects are wanted');
    const { kind, apiVersion, items } = value;
    if (kind !== 'List' || apiVersion !== 'v1' || !Array.isArray(items)) return [value];
    if (!items.every(isObject)) throw new TypeError('objects are wanted in a List');
    return items;
  });
  if (found.length === 0) throw new TypeError('an object is wanted');
  if (found.length > DOCUMENTS_MAX)
    throw new TypeError(`at most ${DOCUMENTS_MAX} objects at once, not ${found.length}`);
  return found;
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutManagedFields(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata as { readonly managedFields?: unknown };
  return { ...object, metadata };
}
