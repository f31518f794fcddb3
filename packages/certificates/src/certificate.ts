import { addressBytes, sameBytes } from '@binnacle/base';
import { bitString, boolean, octetString, oid, sequence, set, tagged, text, time, unsignedInteger } from './der.ts';
import { readElements, readInside } from './der-reader.ts';
import type { DerElement } from './der-reader.ts';
import { CertificateError } from './errors.ts';

/** Whom a certificate is for. With host names or addresses it serves TLS too. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly hostnames?: readonly string[];
  readonly ips?: readonly string[];
}

/** A subject as somebody else wrote it. */
export interface EncodedSubject {
  /** DER of the name. */
  readonly encoded: Uint8Array;
  readonly alternativeNames: readonly AlternativeName[];
}

/** How signatures of a key are made, and by which names they go. */
export interface Signer {
  /** The DER of the AlgorithmIdentifier. */
  readonly algorithm: Uint8Array;
  sign(data: Uint8Array): Uint8Array;
}

/** Who signs: the encoded name, its key's identifier, and the key. */
export interface Issuer {
  readonly name: Uint8Array;
  readonly keyId: Uint8Array;
  readonly signer: Signer;
}

/** What a certificate may be shown for (RFC 5280, 4.2.1.12). */
export type ExtendedKeyUsage = keyof typeof EXTENDED;
/** What a key may do (RFC 5280, 4.2.1.3). */
export type KeyUsage = keyof typeof USAGE_BIT;

/** Another name of a subject, as it is encoded (RFC 5280, 4.2.1.6): `0x82` and a host name, `0x87` and an address. */
export interface AlternativeName {
  readonly tag: number;
  readonly contents: Uint8Array;
}

/** A certificate to be made; times in milliseconds since the epoch. */
export interface CertificateContents {
  /** Big-endian, at most 20 bytes, positive (RFC 5280, 4.1.2.2). */
  readonly serial: Uint8Array;
  readonly subject: CertificateSubject | EncodedSubject;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The subject's public key, DER of SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** Its identifier; see `KeyIdentifier` of RFC 5280, 4.2.1.2. */
  readonly keyId: Uint8Array;
  readonly authority: boolean;
  readonly usages: readonly KeyUsage[];
  /** None: any purpose, as for an authority. */
  readonly extendedUsages: readonly ExtendedKeyUsage[];
}

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** Extended usages by Kubernetes' and X.509's names. */
const EXTENDED = {
  any: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  ipsecEndSystem: '1.3.6.1.5.5.7.3.5',
  ipsecTunnel: '1.3.6.1.5.5.7.3.6',
  ipsecUser: '1.3.6.1.5.5.7.3.7',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  microsoftServerGatedCrypto: '1.3.6.1.4.1.311.10.3.3',
  netscapeServerGatedCrypto: '2.16.840.1.113730.4.1',
} as const;
/** The bit of each usage, counted from the highest of the first byte (RFC 5280, 4.2.1.3). */
const USAGE_BIT = {
  digitalSignature: 0,
  contentCommitment: 1,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyAgreement: 4,
  keyCertSign: 5,
  cRLSign: 6,
  encipherOnly: 7,
  decipherOnly: 8,
} as const;

const VERSION_3 = tagged(0xa0, unsignedInteger(Uint8Array.of(2)));

/** DER of an X.509 v3 certificate (RFC 5280). */
export function encodeCertificate(contents: CertificateContents, issuer: Issuer): Uint8Array {
  const { algorithm } = issuer.signer;
  const toBeSigned = sequence(
    VERSION_3,
    unsignedInteger(contents.serial),
    algorithm,
    issuer.name,
    sequence(time(contents.notBefore), time(contents.notAfter)),
    'encoded' in contents.subject ? contents.subject.encoded : encodeName(contents.subject),
    contents.publicKey,
    tagged(0xa3, sequence(...extensionsOf(contents, issuer))),
  );
  return sequence(toBeSigned, algorithm, bitString(issuer.signer.sign(toBeSigned)));
}

/** Organizations first, one relative name each: the order that Kubernetes' own tools write. */
export function encodeName({ commonName, organizations = [] }: CertificateSubject): Uint8Array {
  const part = (type: string, value: string): Uint8Array => set(sequence(oid(type), text(value)));
  return sequence(...organizations.map((name) => part(OID.organization, name)), part(OID.commonName, commonName));
}

/** The subject of a certificate as it is encoded there, and its key identifier where it tells one. */
export function readIssuer(certificate: Uint8Array): {
  readonly name: Uint8Array;
  readonly keyId: Uint8Array | undefined;
} {
  const [toBeSigned] = readInside(certificate);
  if (toBeSigned === undefined) throw new CertificateError('not a certificate');
  const fields = readElements(toBeSigned.contents);
  // Serial, algorithm, issuer, validity, subject; the version in front of them may be missing.
  const subject = fields[fields[0]?.tag === 0xa0 ? 5 : 4];
  if (subject === undefined) throw new CertificateError('a certificate without a subject');
  return { name: subject.whole, keyId: keyIdOf(fields) };
}

/** When a certificate (DER) ends, milliseconds since the epoch. Throws CertificateError. */
export function readNotAfter(certificate: Uint8Array): number {
  const [toBeSigned] = readInside(certificate);
  if (toBeSigned === undefined) throw new CertificateError('not a certificate');
  const fields = readElements(toBeSigned.contents);
  const validity = fields[fields[0]?.tag === 0xa0 ? 4 : 3];
  const end = validity === undefined ? undefined : readElements(validity.contents)[1];
  const found = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(
    end === undefined ? '' : new TextDecoder().decode(end.contents),
  );
  if (found === null) throw new CertificateError('a certificate without an end');
  const [, year = '', ...rest] = found;
  const [month = '', day = '', hour = '', minute = '', second = ''] = rest;
  // Two digits mean 1950 to 2049 (RFC 5280, 4.1.2.5.1).
  const full = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`;
  return Date.parse(`${full}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function keyIdOf(fields: readonly DerElement[]): Uint8Array | undefined {
  const extensions = fields.find(({ tag }) => tag === 0xa3);
  const wanted = oid(OID.subjectKeyIdentifier);
  for (const { contents } of extensions === undefined ? [] : readInside(extensions.contents)) {
    const [type, ...rest] = readElements(contents);
    const value = rest.at(-1);
    if (type === undefined || value === undefined || !sameBytes(type.whole, wanted)) continue;
    return readElements(value.contents)[0]?.contents;
  }
  return undefined;
}

function extensionsOf(contents: CertificateContents, issuer: Issuer): Uint8Array[] {
  const { authority, usages, extendedUsages, subject } = contents;
  const names = alternativeNamesOf(subject).map((name) => tagged(name.tag, name.contents));
  return [
    ...(usages.length === 0 ? [] : [extension(OID.keyUsage, usageBits(usages), true)]),
    ...(extendedUsages.length === 0 ? [] : [extension(OID.extendedKeyUsage, extendedOf(extendedUsages))]),
    extension(OID.basicConstraints, authority ? sequence(boolean(true)) : sequence(), true),
    extension(OID.subjectKeyIdentifier, octetString(contents.keyId)),
    extension(OID.authorityKeyIdentifier, sequence(tagged(0x80, issuer.keyId))),
    ...(names.length === 0 ? [] : [extension(OID.subjectAltName, sequence(...names))]),
  ];
}

/** The names of a subject beside its own, encoded. Throws CertificateError for what is no address. */
export function alternativeNamesOf(subject: CertificateContents['subject']): readonly AlternativeName[] {
  if ('encoded' in subject) return subject.alternativeNames;
  return [
    ...(subject.hostnames ?? []).map((name) => ({ tag: 0x82, contents: new TextEncoder().encode(name) })),
    ...(subject.ips ?? []).map((address) => ({ tag: 0x87, contents: ipBytes(address) })),
  ];
}

function ipBytes(address: string): Uint8Array {
  const bytes = addressBytes(address);
  if (bytes === undefined) throw new CertificateError(`not an IP address: ${address}`);
  return bytes;
}

function extension(type: string, value: Uint8Array, critical = false): Uint8Array {
  return sequence(oid(type), ...(critical ? [boolean(true)] : []), octetString(value));
}

function extendedOf(usages: readonly ExtendedKeyUsage[]): Uint8Array {
  return sequence(...usages.map((usage) => oid(EXTENDED[usage])));
}

function usageBits(usages: readonly KeyUsage[]): Uint8Array {
  const bits = usages.map((usage) => USAGE_BIT[usage]);
  const last = Math.max(...bits);
  const bytes = new Uint8Array(last < 8 ? 1 : 2);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (last & 7));
}
