import { createHash } from 'node:crypto';
import { checkServerIdentity } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { UnnamedCertificateError } from '../http-errors.ts';
import type { HttpTrust } from '../http.ts';

const NOBODY = {} as PeerCertificate['subject'];

/**
 * Whom a server's certificate has to be for, as Go checks it: by alternative names alone. Node believes the common name
 * too where none of those is a name of the DNS.
 */
export function identityCheck(name: string): { readonly checkServerIdentity: typeof checkServerIdentity } {
  return {
    checkServerIdentity(_dialled: string, peer: PeerCertificate) {
      if (peer.subjectaltname === undefined) return Object.assign(new UnnamedCertificateError(), { cert: peer });
      return checkServerIdentity(name, { ...peer, subject: NOBODY });
    },
  };
}

const trustKeys = new WeakMap<HttpTrust, string>();

/** The same text for the same trust, whoever has it: connections are shared by that. */
export function trustKeyOf(trust: HttpTrust): string {
  const known = trustKeys.get(trust);
  if (known !== undefined) return known;
  const { ca, certificate, key, insecure } = trust;
  const digest = createHash('sha256')
    .update(JSON.stringify([ca, certificate, key, insecure]))
    .digest('base64');
  trustKeys.set(trust, digest);
  return digest;
}
