import type { Secret } from '@binnacle/api/core/v1';
import { readTime } from '@binnacle/machinery';

/** The label that says on which day a token was last used, as `2026-01-31`. */
export const LAST_USED = 'kubernetes.io/legacy-token-last-used';
/** The label that says since when a token is not believed any more. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What becomes of a token that was made for an account by an older cluster. */
export type TokenFate = 'keep' | 'invalidate' | 'delete';

/** First it is not believed any more, and as long again after that it goes. */
export function judgeToken(
  { metadata }: Secret,
  { nowMs, unusedMs }: { readonly nowMs: number; readonly unusedMs: number },
): TokenFate {
  const before = nowMs - unusedMs;
  const day = new Date(before).toISOString().slice(0, 10);
  if (metadata.deletionTimestamp !== undefined) return 'keep';
  if (!(Date.parse(metadata.creationTimestamp ?? '') < before)) return 'keep';
  const lastUsed = metadata.labels?.[LAST_USED];
  // A day that nobody can read: nobody knows, so it stays.
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= day)) return 'keep';
  const invalidSince = metadata.labels?.[INVALID_SINCE] ?? '';
  if (!isDay(invalidSince)) return 'invalidate';
  return invalidSince >= day ? 'keep' : 'delete';
}

function isDay(text: string): boolean {
  return DAY.test(text) && readTime(`${text}T00:00:00Z`) !== undefined;
}
