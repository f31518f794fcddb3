import { dump, load } from 'js-yaml';

/** An object as people read it; managed fields only when asked for. */
export function yamlOf(object: unknown, { managedFields = false }: { readonly managedFields?: boolean } = {}): string {
  return dump(managedFields ? object : withoutManagedFields(object), { lineWidth: -1, noRefs: true });
}

/** What somebody wrote. Throws for what is no YAML of one object. */
export function readYaml(text: string): unknown {
  const value = load(text, { maxAliases: 100 });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('one object is wanted');
  return value;
}

function withoutManagedFields(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata as { readonly managedFields?: unknown };
  return { ...object, metadata };
}
