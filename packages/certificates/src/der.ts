/**
 * Distinguished encoding (X.690) as far as certificates need it. Writers take finished parts and give one buffer:
 * tag, length, contents.
 */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** What PrintableString may hold (X.680, 41.4). */
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
/** Years from here on need GeneralizedTime (RFC 5280, 4.1.2.5). */
const FIRST_GENERALIZED_YEAR = 2050;

const utf8 = new TextEncoder();

/** Parts one after the other under a tag of the caller's choice, such as `0xa3` for `[3] EXPLICIT`. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthOctets(length)];
  const made = new Uint8Array(head.length + length);
  made.set(head);
  let at = head.length;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return tagged(TAG.sequence, ...parts);
}

/** Members must come in the order of their encodings; a set of one always does. */
export function set(...parts: readonly Uint8Array[]): Uint8Array {
  return tagged(TAG.set, ...parts);
}

export function boolean(value: boolean): Uint8Array {
  return tagged(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
}

/** A non-negative integer given as big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): Uint8Array {
  let first = 0;
  while (first < bytes.length - 1 && bytes[first] === 0) first++;
  const digits = bytes.subarray(first);
  const negative = ((digits[0] ?? 0) & 0x80) !== 0;
  return negative ? tagged(TAG.integer, Uint8Array.of(0), digits) : tagged(TAG.integer, digits);
}

/** `unused`: how many bits of the last byte do not count. */
export function bitString(bytes: Uint8Array, unused = 0): Uint8Array {
  return tagged(TAG.bitString, Uint8Array.of(unused), bytes);
}

export function octetString(bytes: Uint8Array): Uint8Array {
  return tagged(TAG.octetString, bytes);
}

/** `1.2.840.10045.4.3.2`. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** PrintableString where the text allows it, else UTF8String: what Go's encoder chooses too. */
export function text(value: string): Uint8Array {
  return tagged(PRINTABLE.test(value) ? TAG.printableString : TAG.utf8String, utf8.encode(value));
}

/** Milliseconds since the epoch, cut to the second. */
export function time(epochMs: number): Uint8Array {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+|[-:T]/g, '');
  const generalized = Number(digits.slice(0, 4)) >= FIRST_GENERALIZED_YEAR;
  return tagged(generalized ? TAG.generalizedTime : TAG.utcTime, utf8.encode(generalized ? digits : digits.slice(2)));
}

function lengthOctets(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}

function base128(value: number): readonly number[] {
  const octets = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift(0x80 | (rest % 128));
  return octets;
}
