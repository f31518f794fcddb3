import { base64ToBytes, sameBytes } from '@binnacle/base';
/** Whether a certificate and a private key, both PEM, belong together: what servers ask before they serve with them. */
import { readElements, readInside } from './der-reader.ts';
import type { DerElement } from './der-reader.ts';
import { oid } from './der.ts';
import { CertificateError } from './errors.ts';

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const SEQUENCE = 0x30;
/** Of an elliptic curve's key: its public half, where it is told. */
const PUBLIC_HALF = 0xa1;

const ALGORITHMS = [
  { name: 'RSA', id: oid('1.2.840.113549.1.1.1') },
  { name: 'EC', id: oid('1.2.840.10045.2.1') },
  { name: 'Ed25519', id: oid('1.3.101.112') },
] as const;

type Algorithm = (typeof ALGORITHMS)[number]['name'];

/** A key, and by what two halves of one are recognised; undefined: nothing is told of it. */
interface Key {
  readonly algorithm: Algorithm;
  readonly mark: Uint8Array | undefined;
}

/**
 * What is wrong with a pair, in the words of Go's crypto/tls (X509KeyPair), which clients of Kubernetes see; undefined
 * where nothing is, or where the key's own text does not say what its public half is.
 */
export function keyPairProblem(certificatePem: string, keyPem: string): string | undefined {
  const blocks = pemBlocks(certificatePem);
  const certificate = blocks.find(({ label }) => label === 'CERTIFICATE');
  if (certificate === undefined) return noCertificate(blocks.map(({ label }) => label));
  const before: string[] = [];
  for (const { label, bytes } of pemBlocks(keyPem)) {
    if (label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY')) return mismatch(certificate.bytes, bytes);
    before.push(label);
  }
  return noKey(before);
}

function noCertificate(found: readonly string[]): string {
  if (found.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (found.length === 1 && found[0]?.endsWith('PRIVATE KEY') === true) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${found.join(' ')}]`;
}

function noKey(found: readonly string[]): string {
  if (found.length === 0) return 'tls: failed to find any PEM data in key input';
  if (found.length === 1 && found[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${found.join(' ')}]`;
}

function mismatch(certificate: Uint8Array, key: Uint8Array): string | undefined {
  const theirs = tried(() => publicKeyOf(certificate));
  if (theirs === undefined) return 'x509: malformed certificate';
  if (theirs === 'unknown') return 'tls: unknown public key algorithm';
  const ours = tried(() => privateKeyOf(key));
  if (ours === undefined) return 'tls: failed to parse private key';
  if (ours.algorithm !== theirs.algorithm) return 'tls: private key type does not match public key type';
  const isOther = ours.mark !== undefined && theirs.mark !== undefined && !sameBytes(ours.mark, theirs.mark);
  return isOther ? 'tls: private key does not match public key' : undefined;
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

function publicKeyOf(certificate: Uint8Array): Key | 'unknown' {
  const [toBeSigned] = readInside(certificate);
  const fields = toBeSigned === undefined ? [] : readElements(toBeSigned.contents);
  // Serial, algorithm, issuer, validity, subject, key; the version in front of them may be missing.
  const [sort, bits] = readElements(contentsOf(fields[fields[0]?.tag === 0xa0 ? 6 : 5]));
  const algorithm = algorithmOf(sort);
  if (algorithm === undefined) return 'unknown';
  // The first byte of a bit string says how many bits of the last one are none.
  const value = contentsOf(bits).subarray(1);
  return { algorithm, mark: algorithm === 'RSA' ? contentsOf(readInside(value)[0]) : value };
}

/** PKCS #1, PKCS #8 and SEC 1, told apart by what comes after the version. */
function privateKeyOf(key: Uint8Array): Key {
  const [version, second, third, ...rest] = readInside(key);
  if (version?.tag !== INTEGER) throw new CertificateError('a private key without a version');
  if (second?.tag === INTEGER) return { algorithm: 'RSA', mark: second.contents };
  if (second?.tag === OCTET_STRING) {
    const half = [third, ...rest].find((part) => part?.tag === PUBLIC_HALF);
    return {
      algorithm: 'EC',
      mark: half === undefined ? undefined : contentsOf(readElements(half.contents)[0]).subarray(1),
    };
  }
  const algorithm = second?.tag === SEQUENCE ? algorithmOf(second) : undefined;
  if (algorithm === undefined) throw new CertificateError('a private key of an unknown sort');
  return algorithm === 'Ed25519' ? { algorithm, mark: undefined } : privateKeyOf(contentsOf(third));
}

function algorithmOf(sort: DerElement | undefined): Algorithm | undefined {
  const [id] = readElements(contentsOf(sort));
  return ALGORITHMS.find((one) => id !== undefined && sameBytes(one.id, id.whole))?.name;
}

function contentsOf(element: DerElement | undefined): Uint8Array {
  if (element === undefined) throw new CertificateError('an element is missing');
  return element.contents;
}

interface PemBlock {
  readonly label: string;
  readonly bytes: Uint8Array;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';

/** The blocks of a text up to the first that has no end: each part of the text is read once. */
function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at)) {
    const labelEnd = text.indexOf(DASHES, at + BEGIN.length);
    const label = text.slice(at + BEGIN.length, labelEnd);
    const endMark = `-----END ${label}-----`;
    const end = labelEnd < 0 ? -1 : text.indexOf(endMark, labelEnd);
    if (end < 0) break;
    const bytes = decoded(text.slice(labelEnd + DASHES.length, end));
    if (bytes !== undefined) blocks.push({ label, bytes });
    at = end + endMark.length;
  }
  return blocks;
}

/** Undefined: no base64. */
function decoded(body: string): Uint8Array | undefined {
  // Old keys have headers, and an empty line after them.
  const packed = body.replace(/^[^]*\n\r?\n/, '').replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined;
  return base64ToBytes(packed);
}
