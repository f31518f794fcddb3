import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { CertificateError, readNotAfter } from '@binnacle/certificates';
import { isIssued } from '../signing-requests.ts';

const HOUR_MS = 3_600_000;
/** After it was signed, denied or failed. */
const JUDGED_MS = HOUR_MS;
/** While nobody judges it, or nobody signs it. */
const PENDING_MS = 24 * HOUR_MS;

/** When a request is of no use any more, milliseconds since the epoch. */
export function dueTimeOf(request: CertificateSigningRequest): number {
  const { status, metadata } = request;
  const conditions = status?.conditions ?? [];
  const issued = isIssued(request);
  if (conditions.length === 0) return timeOf(metadata.creationTimestamp) + PENDING_MS;
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    const at = timeOf(lastUpdateTime);
    if (type === 'Denied' || type === 'Failed') return [at + JUDGED_MS];
    if (type !== 'Approved') return [];
    return issued ? [at + JUDGED_MS, endOf(status?.certificate ?? '')] : [at + PENDING_MS];
  });
  return Math.min(...times);
}

function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** When the certificate ends; what cannot be read never does. */
function endOf(encoded: string): number {
  try {
    const body = /-----BEGIN CERTIFICATE-----([^-]*)-----END/.exec(atob(encoded))?.[1]?.replace(/\s+/g, '') ?? '';
    return readNotAfter(Uint8Array.from(atob(body), (char) => char.charCodeAt(0)));
  } catch (error) {
    if (error instanceof CertificateError || error instanceof DOMException) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
