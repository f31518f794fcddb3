import { createPublicKey, randomFillSync, X509Certificate } from 'node:crypto';
import { certificatePem } from '@binnacle/base';
import { encodeCertificate, encodeName, readIssuer } from '../certificate.ts';
import type { CertificateSubject, ExtendedKeyUsage, Issuer, KeyUsage } from '../certificate.ts';
import type { CertificateRequest } from '../request.ts';
import { generateKey, keyPem, publicHalf, readKey, signerOf, tlsUsagesOf } from './keys.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** From when to when something is valid: milliseconds since the epoch. */
export interface Life {
  readonly notBefore: number;
  readonly notAfter: number;
}

const SERIAL_BYTES = 16;

/** A new authority of this name, which vouches for itself. */
export function makeAuthority(commonName: string, life: Life): KeyPair {
  const key = generateKey();
  const half = publicHalf(key);
  const subject = { commonName };
  const issuer = { name: encodeName(subject), keyId: half.keyId, signer: signerOf(key) };
  const certificate = encodeCertificate(
    {
      ...life,
      ...half,
      serial: newSerial(),
      subject: { ...subject, hostnames: [commonName] },
      authority: true,
      usages: ['digitalSignature', 'keyCertSign', 'cRLSign'],
      extendedUsages: [],
    },
    issuer,
  );
  return { certificate: certificatePem(certificate), key: keyPem(key) };
}

/** A certificate with a key of its own; `client`: it may be shown to servers. With names or addresses it serves. */
export function issueCertificate(
  authority: KeyPair,
  subject: CertificateSubject,
  options: Life & { readonly client: boolean },
): KeyPair {
  const key = generateKey();
  const serves = (subject.hostnames?.length ?? 0) + (subject.ips?.length ?? 0) > 0;
  const extendedUsages: ExtendedKeyUsage[] = [];
  if (options.client) extendedUsages.push('clientAuth');
  if (serves) extendedUsages.push('serverAuth');
  const certificate = encodeCertificate(
    {
      ...publicHalf(key),
      serial: newSerial(),
      subject,
      notBefore: options.notBefore,
      notAfter: options.notAfter,
      authority: false,
      usages: tlsUsagesOf(key),
      extendedUsages,
    },
    issuerOf(authority),
  );
  return { certificate: certificatePem(certificate), key: keyPem(key) };
}

/** What a signer grants beside what a request asks for. */
export interface Grant extends Life {
  readonly usages: readonly KeyUsage[];
  readonly extendedUsages: readonly ExtendedKeyUsage[];
}

/** A certificate (PEM) for the key and the names of a request; whoever asks has judged it. No authority comes of it. */
export function signRequest(authority: KeyPair, request: CertificateRequest, grant: Grant): string {
  const key = createPublicKey({ key: Buffer.from(request.publicKey), format: 'der', type: 'spki' });
  const { notAfter, notBefore, usages, extendedUsages } = grant;
  const certificate = encodeCertificate(
    {
      publicKey: request.publicKey,
      keyId: publicHalf(key).keyId,
      serial: newSerial(),
      subject: { encoded: request.subject, alternativeNames: request.alternativeNames },
      notBefore,
      notAfter,
      authority: false,
      usages,
      extendedUsages,
    },
    issuerOf(authority),
  );
  return certificatePem(certificate);
}

/** Read once: one authority issues much. They go with their authorities. */
const issuers = new WeakMap<KeyPair, Issuer>();

/** The authority's name and key identifier are taken from its certificate as they stand there. */
function issuerOf(authority: KeyPair): Issuer {
  const known = issuers.get(authority);
  if (known !== undefined) return known;
  const key = readKey(authority.key, 'ca.key');
  const { name, keyId } = readIssuer(new X509Certificate(authority.certificate).raw);
  const issuer = { name, keyId: keyId ?? publicHalf(key).keyId, signer: signerOf(key) };
  issuers.set(authority, issuer);
  return issuer;
}

/** A positive number of 127 bits. */
function newSerial(): Uint8Array {
  const bytes = randomFillSync(new Uint8Array(SERIAL_BYTES));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
