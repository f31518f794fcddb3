import type { CertificateSubject } from '../certificate.ts';
import { encodeRequest } from '../request-encoding.ts';
import { generateKey, keyPem, publicHalf, signerOf } from './keys.ts';

/** A request for a certificate, and the new private key that it is for, both PEM. */
export function makeRequest(subject: CertificateSubject): { readonly request: string; readonly key: string } {
  const key = generateKey();
  const { publicKey } = publicHalf(key);
  const body = Buffer.from(encodeRequest(subject, { publicKey, signer: signerOf(key) })).toString('base64');
  const lines = body.match(/.{1,64}/g) ?? [];
  const request = ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n');
  return { request, key: keyPem(key) };
}
