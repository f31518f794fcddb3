import { checkServerIdentity } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { UnnamedCertificateError } from '../http-errors.ts';

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
