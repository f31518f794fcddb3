/** Whether a schema has rules anywhere. The decoder has bounded how deep it is. */
export function hasRules(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      (key === 'x-kubernetes-validations' && Array.isArray(value) && value.length > 0) || hasRules(value),
  );
}
