import { wellknown } from '@binnacle/api';
import type { Secret } from '@binnacle/api/core/v1';
import { readMoment } from '@binnacle/machinery';

/** The type of secrets that are bootstrap tokens. */
export const BOOTSTRAP_TOKEN = 'bootstrap.kubernetes.io/token';
/** Where bootstrap tokens are. */
export const BOOTSTRAP_TOKENS = { namespace: wellknown.NAMESPACE_SYSTEM, fieldSelector: `type=${BOOTSTRAP_TOKEN}` };

const NAME = /^bootstrap-token-([a-z0-9]{6})$/;

/** When a bootstrap token ends, milliseconds since the epoch; one that says nothing never does, nonsense has ended. */
export function endOfToken(secret: Secret): number {
  const text = textOf(secret, 'expiration');
  return text === '' ? Number.POSITIVE_INFINITY : (readMoment(text) ?? Number.NEGATIVE_INFINITY);
}

/** The token, if it may sign now; its secret's name has to tell its id. */
export function signingToken(
  secret: Secret,
  nowMs: number,
): { readonly id: string; readonly secret: string } | undefined {
  const id = textOf(secret, 'token-id');
  const key = textOf(secret, 'token-secret');
  const named = NAME.exec(secret.metadata.name ?? '')?.[1];
  if (id === '' || named !== id || key === '' || endOfToken(secret) <= nowMs) return undefined;
  return textOf(secret, 'usage-bootstrap-signing') === 'true' ? { id, secret: key } : undefined;
}

function textOf({ data = {} }: Secret, field: string): string {
  return Object.hasOwn(data, field) ? atob(data[field] ?? '') : '';
}
