import { sameBytes } from '@binnacle/base';
import { oid } from './der.ts';
import { readElements, readInside } from './der-reader.ts';
import type { DerElement } from './der-reader.ts';
import { CertificateError } from './errors.ts';

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
} as const;
const BASIC_CONSTRAINTS = oid('2.5.29.19');
const UTC = /^\d{10}(?:\d{2})?Z$/;
const GENERALIZED = /^\d{14}Z$/;

/**
 * Whether a certificate (DER) is an authority's by its basic constraints. All of its shape is looked at (RFC 5280, 4.1), its
 * signature and its names' texts are not. Throws CertificateError for what is no certificate.
 */
export function readAuthority(certificate: Uint8Array): boolean {
  const [toBeSigned, algorithm, signature, ...more] = readOnly(certificate, TAG.sequence);
  check(toBeSigned?.tag === TAG.sequence && algorithm?.tag === TAG.sequence && more.length === 0);
  check(signature?.tag === TAG.bitString && signature.contents.length > 1);
  const fields = readElements(toBeSigned.contents);
  const version = fields[0]?.tag === TAG.version ? readVersion(fields.shift()) : 0;
  const [serial, inner, issuer, validity, subject, key, ...rest] = fields;
  check(serial?.tag === TAG.integer && serial.contents.length > 0);
  check(inner?.tag === TAG.sequence && sameBytes(inner.whole, algorithm.whole));
  check(readElements(inner.contents)[0]?.tag === TAG.oid);
  checkName(issuer);
  checkValidity(validity);
  checkName(subject);
  checkKey(key);
  return isAuthority(rest, version);
}

function check(holds: boolean): asserts holds {
  if (!holds) throw new CertificateError('not a certificate');
}

/** What is inside the one element that there is, of this sort. */
function readOnly(bytes: Uint8Array, tag: number): DerElement[] {
  check(bytes[0] === tag);
  return readInside(bytes);
}

/** 0 to 2: that is v1 to v3. */
function readVersion(field: DerElement | undefined): number {
  const [value, ...more] = readElements(field?.contents ?? new Uint8Array());
  check(value?.tag === TAG.integer && value.contents.length === 1 && more.length === 0);
  const [version = 0] = value.contents;
  check(version <= 2);
  return version;
}

/** Sets of a type and a value. */
function checkName(name: DerElement | undefined): void {
  check(name?.tag === TAG.sequence);
  for (const relative of readElements(name.contents)) {
    check(relative.tag === TAG.set);
    for (const pair of readElements(relative.contents)) {
      const [type, value, ...more] = readElements(pair.contents);
      check(pair.tag === TAG.sequence && type?.tag === TAG.oid && value !== undefined && more.length === 0);
    }
  }
}

function checkValidity(validity: DerElement | undefined): void {
  check(validity?.tag === TAG.sequence);
  const times = readElements(validity.contents);
  check(times.length === 2);
  for (const { tag, contents } of times) {
    const form = tag === TAG.utcTime ? UTC : GENERALIZED;
    check((tag === TAG.utcTime || tag === TAG.generalizedTime) && form.test(new TextDecoder().decode(contents)));
  }
}

function checkKey(key: DerElement | undefined): void {
  check(key?.tag === TAG.sequence);
  const [algorithm, bits, ...more] = readElements(key.contents);
  check(algorithm?.tag === TAG.sequence && readElements(algorithm.contents)[0]?.tag === TAG.oid);
  check(bits?.tag === TAG.bitString && bits.contents.length > 0 && more.length === 0);
}

/** `rest`: identifiers of old, which nobody reads, and extensions. */
function isAuthority(rest: readonly DerElement[], version: number): boolean {
  const at = rest.findIndex(({ tag }) => tag === TAG.extensions);
  if (at === -1) return false;
  check(version === 2 && at === rest.length - 1);
  const seen = new Set<string>();
  let authority = false;
  for (const extension of readOnly(rest[at]?.contents ?? new Uint8Array(), TAG.sequence)) {
    const [type, ...parts] = readElements(extension.contents);
    const value = parts.at(-1);
    check(extension.tag === TAG.sequence && type?.tag === TAG.oid && value?.tag === TAG.octetString);
    check(parts.length === 1 || (parts.length === 2 && parts[0]?.tag === TAG.boolean));
    const name = type.contents.join();
    check(!seen.has(name));
    seen.add(name);
    if (sameBytes(type.whole, BASIC_CONSTRAINTS)) authority = isAuthorityBy(value.contents);
  }
  return authority;
}

/** A truth that is false unless it is said, and how long a chain may be. */
function isAuthorityBy(constraints: Uint8Array): boolean {
  const [first, ...more] = readOnly(constraints, TAG.sequence);
  if (first?.tag !== TAG.boolean) {
    check(first === undefined || (first.tag === TAG.integer && more.length === 0));
    return false;
  }
  check(first.contents.length === 1 && (first.contents[0] === 0xff || first.contents[0] === 0));
  check(more.length === 0 || (more.length === 1 && more[0]?.tag === TAG.integer));
  return first.contents[0] === 0xff;
}
