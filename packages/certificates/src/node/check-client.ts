import { X509Certificate } from 'node:crypto';

/** Steps from a client's certificate to an authority that are gone at the most. */
const STEPS_MAX = 8;
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a text of PEM. Throws what Node throws for one that is none. */
export function readAuthorities(pem: string): readonly X509Certificate[] {
  return (pem.match(PEM) ?? []).map((text) => new X509Certificate(text));
}

/**
 * Whether a client may show this certificate in the name of one of the authorities: it stands among them, or one of them
 * signed it, or signed what came with it and signed it in turn (RFC 5280, 6.1). Times in milliseconds.
 */
export function isVouchedFor(client: X509Certificate, authorities: readonly X509Certificate[], nowMs: number): boolean {
  const { keyUsage: usages } = client;
  if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE)) return false;
  let at: X509Certificate | undefined = client;
  for (let step = 0; at !== undefined && step < STEPS_MAX; step++) {
    const current: X509Certificate = at;
    if (!isValid(current, nowMs)) return false;
    if (authorities.some((one) => one.fingerprint256 === current.fingerprint256)) return true;
    if (authorities.some((one) => isValid(one, nowMs) && hasSigned(one, current))) return true;
    const next: X509Certificate | undefined = current.issuerCertificate;
    if (next === undefined || !hasSigned(next, current)) return false;
    at = next;
  }
  return false;
}

function isValid({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
}

function hasSigned(issuer: X509Certificate, subject: X509Certificate): boolean {
  return issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}
