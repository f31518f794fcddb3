import type { FieldPath } from './path.ts';
import type { Report } from './report.ts';

const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

export type AddressFamily = 'IPv4' | 'IPv6';

/**
 * The family of an address, or undefined when it is none. Leading zeroes in IPv4 are let pass and read as
 * decimal, as upstream does for the sake of old objects.
 */
export function addressFamily(text: string): AddressFamily | undefined {
  if (text.includes(':')) return parseIpv6(text) === undefined ? undefined : 'IPv6';
  return parseIpv4(text) === undefined ? undefined : 'IPv4';
}

/** The family of a range in CIDR notation, or undefined when it is none. */
export function cidrFamily(text: string): AddressFamily | undefined {
  const slash = text.indexOf('/');
  if (slash === -1) return undefined;
  const family = addressFamily(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (family === undefined || !/^[0-9]{1,3}$/.test(length)) return undefined;
  return Number(length) <= (family === 'IPv4' ? 32 : 128) ? family : undefined;
}

export function validateIp(ip: string, path: FieldPath, report: Report): void {
  if (addressFamily(ip) === undefined) report.invalid(path, ip, IP);
}

export function validateCidr(cidr: string, path: FieldPath, report: Report): void {
  if (cidrFamily(cidr) === undefined) report.invalid(path, cidr, CIDR);
}

/** Does the first range hold the second and more? Of ranges that are right. */
export function isStrictSubset(part: string, whole: string): boolean {
  const inner = parseRange(part);
  const outer = parseRange(whole);
  if (inner === undefined || outer === undefined || inner.family !== outer.family) return false;
  return outer.length < inner.length && prefixOf(inner.groups, outer.length) === prefixOf(outer.groups, outer.length);
}

interface Range {
  readonly family: AddressFamily;
  readonly groups: Groups;
  /** Bits of the prefix, counted as in IPv6. */
  readonly length: number;
}

function parseRange(cidr: string): Range | undefined {
  const family = cidrFamily(cidr);
  if (family === undefined) return undefined;
  const slash = cidr.indexOf('/');
  const groups = family === 'IPv6' ? parseIpv6(cidr.slice(0, slash)) : mapped(parseIpv4(cidr.slice(0, slash)));
  if (groups === undefined) return undefined;
  return { family, groups, length: Number(cidr.slice(slash + 1)) + (family === 'IPv4' ? 96 : 0) };
}

function prefixOf(groups: Groups, length: number): string {
  return groups
    .map((group) => group.toString(2).padStart(16, '0'))
    .join('')
    .slice(0, length);
}

/** Not unspecified, not of this host, not of this link: addresses that endpoints and external IPs must not have. */
export function validateNonSpecialIp(ip: string, path: FieldPath, report: Report): void {
  const groups = ip.includes(':') ? parseIpv6(ip) : mapped(parseIpv4(ip));
  if (groups === undefined) {
    report.invalid(path, ip, 'must be a valid IP address');
    return;
  }
  const detail = specialRange(groups, ip);
  if (detail !== undefined) report.invalid(path, ip, detail);
}

/** The eight groups of an IPv6 address; IPv4 addresses as mapped ones. */
type Groups = readonly number[];

function specialRange(groups: Groups, ip: string): string | undefined {
  const v4 = ipv4Of(groups);
  const head = groups[0] ?? 0;
  if (groups.every((group) => group === 0) || v4 === 0) return `may not be unspecified (${ip})`;
  if (v4 === undefined ? isLoopback(groups) : v4 >>> 24 === 127) {
    return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  }
  if (v4 === undefined ? (head & 0xffc0) === 0xfe80 : v4 >>> 16 === 0xa9fe) {
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  }
  if (v4 === undefined ? (head & 0xff0f) === 0xff02 : v4 >>> 8 === 0xe00000) {
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  }
  return undefined;
}

function isLoopback(groups: Groups): boolean {
  return groups.every((group, at) => group === (at === 7 ? 1 : 0));
}

/** The 32 bits of a mapped IPv4 address. */
function ipv4Of(groups: Groups): number | undefined {
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined;
  return (((groups[6] ?? 0) << 16) | (groups[7] ?? 0)) >>> 0;
}

function mapped(bytes: readonly number[] | undefined): Groups | undefined {
  if (bytes === undefined) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return [0, 0, 0, 0, 0, 0xffff, (a << 8) | b, (c << 8) | d];
}

function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^[0-9]{1,9}$/.test(part) || Number(part) > 255) return undefined;
    bytes.push(Number(part));
  }
  return bytes;
}

function parseIpv6(text: string): Groups | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** Groups between colons; the last two may be written as IPv4 where that is the address's end. */
function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    if (isEnd && at === parts.length - 1 && part.includes('.')) {
      const v4 = mapped(parseIpv4(part));
      if (v4 === undefined) return undefined;
      groups.push(...v4.slice(6));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}
