import { readFile } from 'node:fs/promises';
import { checkPair, issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';

const DAY_MS = 86_400_000;
/** Clocks of clients may be behind ours. */
const BACKDATE_MS = 3_600_000;

/** A certificate that somebody else made. */
export async function readKeyPair(certFile: string, keyFile: string): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  checkPair({ certificate, key });
  return { certificate, key };
}

/** A certificate for a year that is kept nowhere and nobody vouches for, as upstream's components make one. */
export function makeServingPair(
  names: { readonly hostnames: readonly string[]; readonly ips: readonly string[] },
  now: number,
): KeyPair {
  const life = { notBefore: now - BACKDATE_MS, notAfter: now + 365 * DAY_MS };
  const authority = makeAuthority(`localhost-ca@${Math.floor(now / 1000)}`, life);
  const subject = { commonName: `localhost@${Math.floor(now / 1000)}`, ...names };
  const { certificate, key } = issueCertificate(authority, subject, { ...life, client: false });
  return { certificate: `${certificate}${authority.certificate}`, key };
}
