/** Whether a schema has rules anywhere. The decoder has bounded how deep it is. */
export function hasRules(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      (key === 'x-kubernetes-validations' && Array.isArray(value) && value.length > 0) || hasRules(value),
  );
}

const CHECKED: ReadonlySet<string> = new Set(['default', 'pattern', 'x-kubernetes-validations']);

/** Whether there is anything in schemas that only an engine can judge; a property of such a name counts too. */
export function needsCheck(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => CHECKED.has(key) || needsCheck(value));
}
