import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { tagged, oid, sequence } from '../der.ts';
import { readInside } from '../der-reader.ts';
import { CertificateError } from '../errors.ts';
import type { KeyUsage, Signer } from '../certificate.ts';

const NULL = tagged(0x05);

/** The hash and the AlgorithmIdentifier by which a key signs (RFC 5758, RFC 4055, RFC 8410). */
function algorithmOf(key: KeyObject): { readonly hash: string | null; readonly encoded: Uint8Array } {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  switch (key.asymmetricKeyType) {
    case 'ec':
      if (curve === 'secp384r1') return { hash: 'sha384', encoded: sequence(oid('1.2.840.10045.4.3.3')) };
      if (curve === 'secp521r1') return { hash: 'sha512', encoded: sequence(oid('1.2.840.10045.4.3.4')) };
      return { hash: 'sha256', encoded: sequence(oid('1.2.840.10045.4.3.2')) };
    case 'rsa':
      return { hash: 'sha256', encoded: sequence(oid('1.2.840.113549.1.1.11'), NULL) };
    case 'ed25519':
      return { hash: null, encoded: sequence(oid('1.3.101.112')) };
    default:
      throw new CertificateError(`a ${String(key.asymmetricKeyType)} key cannot sign certificates`);
  }
}

/** Signs with a private key of Node's. */
export function signerOf(key: KeyObject): Signer {
  const { hash, encoded } = algorithmOf(key);
  return { algorithm: encoded, sign: (data) => sign(hash, data, key) };
}

/** What a key of this type is used for in TLS: RSA keys may carry session keys too. */
export function tlsUsagesOf(key: KeyObject): readonly KeyUsage[] {
  return key.asymmetricKeyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'];
}

/** A new P-256 key. */
export function generateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** PKCS #8, PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** The public half: SubjectPublicKeyInfo, and the SHA-1 of its bits that names it (RFC 5280, 4.2.1.2, method 1). */
export function publicHalf(key: KeyObject): { readonly publicKey: Uint8Array; readonly keyId: Uint8Array } {
  const publicKey = (key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'der' });
  const bits = readInside(publicKey)[1]?.contents.subarray(1) ?? new Uint8Array();
  return { publicKey, keyId: createHash('sha1').update(bits).digest() };
}

/** A private key of a PEM file. Throws CertificateError that names the file. */
export function readKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateError(`${file} is not a private key in PEM form`, error);
  }
}
