import { X509Certificate, createPrivateKey } from 'node:crypto';
import { CertificateError } from '../errors.ts';
import type { KeyPair } from './issue.ts';

/**
 * Throws CertificateError where the key is not the first certificate's. TLS itself says so only for keys of one sort:
 * an RSA certificate with a key of Ed25519 would be served to nobody, without a word.
 */
export function checkPair({ certificate, key }: KeyPair): void {
  let belong: boolean;
  try {
    belong = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new CertificateError('the certificate or its private key cannot be read', error);
  }
  if (!belong) throw new CertificateError('the private key does not match the public key of the certificate');
}
