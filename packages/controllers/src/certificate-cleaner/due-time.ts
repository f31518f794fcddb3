import { bytesOfLetters } from '@binnacle/base';
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

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END/;

/** When the certificate ends; what cannot be read never does. */
function endOf(encoded: string): number {
  const body = PEM.exec(decoded(encoded))?.[1] ?? '';
  const der = bytesOfLetters(decoded(body));
  try {
    return readNotAfter(der);
  } catch (error) {
    if (error instanceof CertificateError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Base64, with line ends; empty for what is none. */
function decoded(encoded: string): string {
  const text = encoded.replace(/\s+/g, '');
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? atob(text) : '';
}
