interface Members {
  readonly [name: string]: unknown;
}

/** Whether a schema has rules anywhere. The decoder has bounded how deep it is. */
export function hasRules(schema: unknown): boolean {
  return hasMember(
    schema,
    (key, value) => key === 'x-kubernetes-validations' && Array.isArray(value) && value.length > 0,
  );
}

const CHECKED: ReadonlySet<string> = new Set(['default', 'pattern', 'x-kubernetes-validations']);

/** Whether there is anything in schemas that only an engine can judge; a property of such a name counts too. */
export function needsCheck(schema: unknown): boolean {
  return hasMember(schema, (key) => CHECKED.has(key));
}

/** Whether a member anywhere is one of those; nothing is made for each of the places, of which there may be a hundred thousand. */
function hasMember(document: unknown, is: (key: string, value: unknown) => boolean): boolean {
  if (typeof document !== 'object' || document === null) return false;
  for (const key in document) {
    const value = (document as Members)[key];
    if (is(key, value)) return true;
    if (typeof value === 'object' && hasMember(value, is)) return true;
  }
  return false;
}
