import type { Secret } from '@binnacle/api/core/v1';

/** The type of secrets that are bootstrap tokens. */
export const BOOTSTRAP_TOKEN = 'bootstrap.kubernetes.io/token';

/** RFC 3339 as Go reads it. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** When a bootstrap token ends, milliseconds since the epoch; one that says nothing never does, nonsense has ended. */
export function endOfToken({ data }: Secret): number {
  const encoded = data?.['expiration'];
  if (encoded === undefined || encoded === '') return Number.POSITIVE_INFINITY;
  const text = atob(encoded);
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
