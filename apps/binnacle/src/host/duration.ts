import { UsageError } from '../errors.ts';

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Go's durations (`1m30s`, `500ms`), in milliseconds. Throws UsageError. */
export function parseDuration(given: string): number {
  const parts = [...given.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[smh])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== given) {
    throw new UsageError(`time: invalid duration ${JSON.stringify(given)}`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0);
}
