import { createPublicKey, verify } from 'node:crypto';
import type { CertificateRequest } from '../request.ts';

interface Algorithm {
  readonly hash: string | null;
  readonly keyType: 'ec' | 'rsa' | 'ed25519';
}

/** By the identifiers of RFC 5758, RFC 4055 and RFC 8410. */
const ALGORITHMS = new Map<string, Algorithm>([
  ['1.2.840.10045.4.3.2', { hash: 'sha256', keyType: 'ec' }],
  ['1.2.840.10045.4.3.3', { hash: 'sha384', keyType: 'ec' }],
  ['1.2.840.10045.4.3.4', { hash: 'sha512', keyType: 'ec' }],
  ['1.2.840.113549.1.1.11', { hash: 'sha256', keyType: 'rsa' }],
  ['1.2.840.113549.1.1.12', { hash: 'sha384', keyType: 'rsa' }],
  ['1.2.840.113549.1.1.13', { hash: 'sha512', keyType: 'rsa' }],
  ['1.3.101.112', { hash: null, keyType: 'ed25519' }],
]);
const FAILURES: { readonly [type in Algorithm['keyType']]: string } = {
  ec: 'x509: ECDSA verification failure',
  rsa: 'crypto/rsa: verification error',
  ed25519: 'x509: Ed25519 verification failure',
};

/** Whether a request is signed by the key that it names. Answers what is wrong, in Go's words; undefined: nothing. */
export function checkRequestSignature(request: CertificateRequest): string | undefined {
  const algorithm = ALGORITHMS.get(request.algorithm);
  if (algorithm === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const key = publicKeyOf(request);
  if (key?.asymmetricKeyType !== algorithm.keyType) {
    return 'x509: signature algorithm specifies another public key than the one that is there';
  }
  const isRight = verify(algorithm.hash, request.toBeSigned, key, request.signature);
  return isRight ? undefined : FAILURES[algorithm.keyType];
}

function publicKeyOf({ publicKey }: CertificateRequest): ReturnType<typeof createPublicKey> | undefined {
  try {
    return createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  } catch {
    // OpenSSL's word for "no such key"; the caller says what follows from it.
    return undefined;
  }
}
