import { CatalogueError } from '@binnacle/base';

/** An IP address as a number with its family, so that ranges are arithmetic. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface Cidr {
  readonly family: 4 | 6;
  /** The address with the host bits cleared. */
  readonly base: bigint;
  readonly prefix: number;
}

export class AddressError extends CatalogueError {
  constructor(text: string) {
    super('address', `${JSON.stringify(text)} is not an IP address or range`, { facts: { text } });
  }
}

/** Undefined for text that is no address. IPv4 without leading zeros; IPv6 in any of its spellings. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return { family: 4, value: parts.reduce((value, part) => value * 256n + BigInt(part), 0n) };
}

function parseV6(text: string): Address | undefined {
  const lastColon = text.lastIndexOf(':');
  const tail = text.slice(lastColon + 1);
  if (tail.includes('.')) {
    const v4 = parseV4(tail);
    if (v4 === undefined) return undefined;
    const groups = [v4.value >> 16n, v4.value & 0xffffn].map((group) => group.toString(16));
    return parseV6(`${text.slice(0, lastColon + 1)}${groups.join(':')}`);
  }
  const [head = '', rest, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const left = head === '' ? [] : head.split(':');
  const right = rest === undefined || rest === '' ? [] : rest.split(':');
  const missing = 8 - left.length - right.length;
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return { family: 6, value: groups.reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n) };
}

/** The canonical text (RFC 5952 for IPv6). */
export function addressText({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const run = longestZeroRun(groups);
  if (run === undefined) return groups.join(':');
  return `${groups.slice(0, run.start).join(':')}::${groups.slice(run.start + run.length).join(':')}`;
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === '0') length++;
    if (length > 1 && length > (best?.length ?? 0)) best = { start, length };
  }
  return best;
}

/** Throws AddressError. */
export function parseCidr(text: string): Cidr {
  const [addressPart = '', prefixPart = '', ...rest] = text.split('/');
  const address = parseAddress(addressPart);
  const prefix = /^\d{1,3}$/.test(prefixPart) ? Number(prefixPart) : -1;
  const bits = address?.family === 6 ? 128 : 32;
  if (address === undefined || rest.length > 0 || prefix < 0 || prefix > bits) throw new AddressError(text);
  const host = BigInt(bits - prefix);
  return { family: address.family, base: (address.value >> host) << host, prefix };
}

/** The first address that may be given out: the range's own address is not. */
export function firstAddress(cidr: Cidr): Address {
  return { family: cidr.family, value: cidr.base + 1n };
}

/** How many addresses the range has. */
export function cidrSize(cidr: Cidr): bigint {
  return 1n << BigInt((cidr.family === 4 ? 32 : 128) - cidr.prefix);
}

export function cidrContains(cidr: Cidr, address: Address): boolean {
  return cidr.family === address.family && address.value >= cidr.base && address.value < cidr.base + cidrSize(cidr);
}

export function isLoopback(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return address.family === 4 ? address.value >> 24n === 127n : address.value === 1n;
}
