import { X509Certificate } from 'node:crypto';
import { CertificateError } from '../errors.ts';
import type { CertificateRequest } from '../request.ts';
import { signRequest } from './issue.ts';
import type { Grant, KeyPair } from './issue.ts';
import { readKey } from './keys.ts';

/** Signs requests that were judged; the certificate (PEM) does not outlive the authority. Throws CertificateError. */
export type RequestSigner = (request: CertificateRequest, grant: Grant) => string;

/** A signer with this authority; `now` in milliseconds. Throws CertificateError where key and certificate do not belong together. */
export function createRequestSigner(authority: KeyPair, now: () => number): RequestSigner {
  const certificate = new X509Certificate(authority.certificate);
  if (!certificate.checkPrivateKey(readKey(authority.key, 'the signing key'))) {
    throw new CertificateError('the signing certificate is not that of the signing key');
  }
  const end = Date.parse(certificate.validTo);
  return (request, grant) => {
    if (now() >= end || grant.notBefore >= end) {
      throw new CertificateError(`the signer has expired: NotAfter=${certificate.validTo}`);
    }
    return signRequest(authority, request, { ...grant, notAfter: Math.min(grant.notAfter, end) });
  };
}
