import { addressBytes, addressText as textOf, CatalogueError } from '@binnacle/base';

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

/** Undefined for text that is no address, or one with leading zeros, that others read as octal. */
export function parseAddress(text: string): Address | undefined {
  const bytes = addressBytes(text);
  if (bytes === undefined || (bytes.length === 4 && textOf(bytes) !== text)) return undefined;
  return { family: bytes.length === 4 ? 4 : 6, value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) };
}

/** The canonical text (RFC 5952 for IPv6). */
export function addressText({ family, value }: Address): string {
  const length = family === 4 ? 4 : 16;
  return textOf(Uint8Array.from({ length }, (_, at) => Number((value >> BigInt(8 * (length - 1 - at))) & 0xffn)));
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
