import { addressBytes, addressText, isMappedIpv4, plainBytes } from '@binnacle/base';
import type { FieldPath } from './path.ts';
import type { Report } from './report.ts';

const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

export type AddressFamily = 'IPv4' | 'IPv6';

/** The family of an address in any spelling, or undefined when it is none. */
export function addressFamily(text: string): AddressFamily | undefined {
  const bytes = addressBytes(text);
  return bytes === undefined ? undefined : familyOf(bytes);
}

/** The family of a range in CIDR notation, or undefined when it is none. */
export function cidrFamily(text: string): AddressFamily | undefined {
  const range = parseRange(text);
  return range === undefined ? undefined : familyOf(range.bytes);
}

/** Spellings that others read as another address are refused (KEP-4858). */
export function validateIp(ip: string, path: FieldPath, report: Report): void {
  const bytes = addressBytes(ip);
  if (bytes === undefined) return report.invalid(path, ip, IP);
  if (hasLeadingZeros(bytes, ip)) report.invalid(path, ip, 'must not have leading 0s');
  if (isMappedIpv4(bytes)) report.invalid(path, ip, 'must not be an IPv4-mapped IPv6 address');
  return undefined;
}

/** Likewise; a range is named by its first address. */
export function validateCidr(cidr: string, path: FieldPath, report: Report): void {
  const range = parseRange(cidr);
  if (range === undefined) return report.invalid(path, cidr, CIDR);
  if (isOddlyWritten(range)) {
    report.invalid(path, cidr, 'must not have leading 0s in IP or prefix length');
  } else if (isMappedIpv4(range.bytes)) {
    report.invalid(path, cidr, 'must not have an IPv4-mapped IPv6 address');
  } else if (addressText(masked(range)) !== addressText(range.bytes)) {
    report.invalid(path, cidr, 'must not have bits set beyond the prefix length');
  }
  return undefined;
}

/** Does the first range hold the second and more? Of ranges that are right. */
export function isStrictSubset(part: string, whole: string): boolean {
  const inner = parseRange(part);
  const outer = parseRange(whole);
  if (inner === undefined || outer === undefined || inner.bytes.length !== outer.bytes.length) return false;
  if (outer.length >= inner.length) return false;
  return addressText(masked({ ...inner, length: outer.length })) === addressText(masked(outer));
}

/** A range taken apart. */
export interface WrittenRange {
  readonly bytes: Uint8Array;
  /** Bits of the prefix. */
  readonly length: number;
  readonly text: { readonly address: string; readonly length: string };
}

/** Undefined for what is no range in CIDR notation. */
export function parseRange(cidr: string): WrittenRange | undefined {
  const slash = cidr.indexOf('/');
  if (slash === -1) return undefined;
  const text = { address: cidr.slice(0, slash), length: cidr.slice(slash + 1) };
  const bytes = addressBytes(text.address);
  if (bytes === undefined || !/^0*[0-9]{1,3}$/.test(text.length)) return undefined;
  const length = Number(text.length);
  return length <= 8 * bytes.length ? { bytes, length, text } : undefined;
}

/** The range's first address. */
export function masked({ bytes, length }: Pick<WrittenRange, 'bytes' | 'length'>): Uint8Array {
  return bytes.map((byte, at) => {
    const bits = Math.min(8, Math.max(0, length - 8 * at));
    return byte & (0xff00 >> bits);
  });
}

/** With zeros in front, which some programs take for octal. */
export function hasLeadingZeros(bytes: Uint8Array, written: string): boolean {
  return bytes.length === 4 && addressText(bytes) !== written;
}

/** A range with zeros in front of a number of its address or of its length. */
export function isOddlyWritten({ bytes, length, text }: WrittenRange): boolean {
  return hasLeadingZeros(bytes, text.address) || String(length) !== text.length;
}

/** Not unspecified, not of this host, not of this link: addresses that endpoints and external IPs must not have. */
export function validateNonSpecialIp(ip: string, path: FieldPath, report: Report): void {
  const bytes = addressBytes(ip);
  if (bytes === undefined) {
    report.invalid(path, ip, 'must be a valid IP address');
    return;
  }
  const detail = specialRange(plainBytes(bytes), ip);
  if (detail !== undefined) report.invalid(path, ip, detail);
}

function specialRange(bytes: Uint8Array, ip: string): string | undefined {
  const [a = 0, b = 0, c = 0] = bytes;
  const isV4 = bytes.length === 4;
  if (bytes.every((byte) => byte === 0)) return `may not be unspecified (${ip})`;
  if (isV4 ? a === 127 : isOne(bytes)) return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  if (isV4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80) {
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  }
  if (isV4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02) {
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  }
  return undefined;
}

function isOne(bytes: Uint8Array): boolean {
  return bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

function familyOf(bytes: Uint8Array): AddressFamily {
  return bytes.length === 4 ? 'IPv4' : 'IPv6';
}
