import { formatFieldSelector } from '@binnacle/machinery';

/** What selects the objects whose fields have these values, as it travels; names may hold what selectors are written with. */
export function fieldQuery(fields: { readonly [field: string]: string }): string {
  const terms = Object.entries(fields).map(([field, value]) => ({ field, operator: '=' as const, value }));
  return `fieldSelector=${encodeURIComponent(formatFieldSelector({ terms }))}`;
}
