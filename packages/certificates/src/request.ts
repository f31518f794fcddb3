import { base64ToBytes } from '@binnacle/base';
import { readElements, readInside } from './der-reader.ts';
import type { DerElement } from './der-reader.ts';
import type { AlternativeName } from './certificate.ts';
import { CertificateError } from './errors.ts';

/** A request for a certificate (PKCS #10, RFC 2986), as far as those who judge it ask. */
export interface CertificateRequest {
  readonly organizations: readonly string[];
  /** Empty where there is none; the last one where there are several, as Go reads them. */
  readonly commonName: string;
  /** The subject as it is encoded. */
  readonly subject: Uint8Array;
  /** The names that it asks for beside: mail addresses, hosts, URIs and addresses. */
  readonly alternativeNames: readonly AlternativeName[];
  /** DER of SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** What is signed, by which algorithm (`1.2.840.10045.4.3.2`), and the signature. */
  readonly toBeSigned: Uint8Array;
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[ \t]*\r?\n/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALT_NAME = '2.5.29.17';
const TAG = {
  oid: 0x06,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
};
/** The names that are forwarded: rfc822Name, dNSName, uniformResourceIdentifier, iPAddress. */
const NAME_TAGS: ReadonlySet<number> = new Set([0x81, 0x82, 0x86, 0x87]);

const asUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const asUtf16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true });
const ASCII = /^[\0-\x7f]*$/;
/** The sorts of text that Go reads in a name: UTF8String, NumericString, PrintableString, T61String, IA5String and BMPString. */
const TEXTS: ReadonlyMap<number, (contents: Uint8Array) => string> = new Map([
  [0x0c, (contents: Uint8Array) => asUtf8.decode(contents)],
  [0x12, asciiIn],
  [0x13, asciiIn],
  [0x14, lettersIn],
  [0x16, asciiIn],
  [0x1e, (contents: Uint8Array) => asUtf16.decode(contents)],
]);

/** The first block of a PEM text, which has to be a request. Throws CertificateError in Go's words where there are some. */
export function readRequest(pem: string): CertificateRequest {
  return readRequestDer(requestBlock(pem));
}

function requestBlock(pem: string): Uint8Array {
  const begin = BLOCK.exec(pem);
  const type = begin?.[1] ?? '';
  const start = begin === null ? 0 : begin.index + begin[0].length;
  const end = pem.indexOf(`-----END ${type}-----`, start);
  if (type !== 'CERTIFICATE REQUEST' || end === -1) {
    throw new CertificateError('PEM block type must be CERTIFICATE REQUEST');
  }
  const body = pem.slice(start, end).replace(/\s+/g, '');
  if (body.length % 4 !== 0 || !BASE64.test(body)) {
    throw new CertificateError('PEM block type must be CERTIFICATE REQUEST');
  }
  return base64ToBytes(body);
}

function readRequestDer(der: Uint8Array): CertificateRequest {
  const [information, algorithm, signature] = readInside(der);
  if (information?.tag !== TAG.sequence || algorithm === undefined || signature?.tag !== TAG.bitString) {
    throw new CertificateError('not a certificate request');
  }
  const [version, subject, publicKey, attributes] = readElements(information.contents);
  if (version === undefined || subject?.tag !== TAG.sequence || publicKey?.tag !== TAG.sequence) {
    throw new CertificateError('not a certificate request');
  }
  const names = readElements(subject.contents).flatMap(attributesOf);
  return {
    organizations: names.filter(({ type }) => type === ORGANIZATION).map(({ value }) => value),
    commonName: names.findLast(({ type }) => type === COMMON_NAME)?.value ?? '',
    subject: subject.whole,
    alternativeNames: attributes?.tag === TAG.attributes ? alternativeNamesOf(attributes) : [],
    publicKey: publicKey.whole,
    toBeSigned: information.whole,
    algorithm: oidText(readElements(algorithm.contents)[0]),
    signature: signature.contents.subarray(1),
  };
}

/** The types and values of one relative name, which is a set of them. */
function attributesOf(relative: DerElement): { readonly type: string; readonly value: string }[] {
  if (relative.tag !== TAG.set) throw new CertificateError('not a name');
  return readElements(relative.contents).map((pair) => {
    const [type, value] = readElements(pair.contents);
    if (value === undefined) throw new CertificateError('not a name');
    return { type: oidText(type), value: textIn(value) };
  });
}

/**
 * What is judged here has to be what TLS reads in the certificate later: a sort of text that is not read here may say
 * `system:masters` there. Throws CertificateError.
 */
function textIn({ tag, contents }: DerElement): string {
  const read = TEXTS.get(tag);
  if (read === undefined) throw new CertificateError(`asn1: structure error: unsupported string type: ${tag}`);
  try {
    return read(contents);
  } catch (error) {
    if (error instanceof CertificateError) throw error;
    throw new CertificateError('asn1: syntax error: invalid text in a name');
  }
}

/** One letter for each byte. */
function lettersIn(contents: Uint8Array): string {
  let text = '';
  for (const byte of contents) text += String.fromCharCode(byte);
  return text;
}

function asciiIn(contents: Uint8Array): string {
  const text = lettersIn(contents);
  if (!ASCII.test(text)) throw new CertificateError('asn1: syntax error: text contains an invalid character');
  return text;
}

/** Of the extensions that are asked for only this one counts; the others are the signer's to choose. */
function alternativeNamesOf(attributes: DerElement): AlternativeName[] {
  const wishes = readElements(attributes.contents).flatMap((attribute) => {
    const [type, values] = readElements(attribute.contents);
    return oidText(type) === EXTENSION_REQUEST && values !== undefined ? readElements(values.contents) : [];
  });
  const extensions = wishes.flatMap(({ contents }) => readElements(contents));
  return extensions.flatMap(({ contents }) => {
    const [type, ...rest] = readElements(contents);
    const value = rest.at(-1);
    if (oidText(type) !== SUBJECT_ALT_NAME || value?.tag !== TAG.octetString) return [];
    return readInside(value.contents).filter(({ tag }) => NAME_TAGS.has(tag));
  });
}

function oidText(element: DerElement | undefined): string {
  if (element?.tag !== TAG.oid || element.contents.length === 0) throw new CertificateError('not an object identifier');
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of element.contents) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...rest].join('.');
}
