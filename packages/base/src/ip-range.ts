import { addressBytes, addressText } from './ip-address.ts';

/** A CIDR taken apart: its network's bytes and how many bits of them count. */
export interface IpRange {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** `10.0.0.0/8`, or one address, as a range; undefined for what is none. Bits beyond the prefix are ignored. */
export function ipRange(text: string): IpRange | undefined {
  const [address = '', prefix, ...rest] = text.trim().split('/');
  const bytes = addressBytes(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  const bits = prefix === undefined ? bytes.length * 8 : Number(prefix);
  return bits > bytes.length * 8 ? undefined : { bytes, bits };
}

/** Whether an address is in a range; false for an address of the other family, and for what is none. */
export function isInRange({ bytes, bits }: IpRange, address: string): boolean {
  const given = addressBytes(address);
  if (given === undefined || given.length !== bytes.length) return false;
  const whole = bits >> 3;
  for (let at = 0; at < whole; at++) if (given[at] !== bytes[at]) return false;
  const mask = (0xff00 >> (bits & 7)) & 0xff;
  return (Number(given[whole] ?? 0) & mask) === (Number(bytes[whole] ?? 0) & mask);
}

/** Whether an address is in one of these ranges; a text that is none has nobody in it. */
export function inRanges(texts: readonly string[]): (address: string) => boolean {
  const ranges = texts.flatMap((text) => ipRange(text) ?? []);
  return (address) => ranges.some((range) => isInRange(range, address));
}

/** Whether two ranges have addresses in common: one has the other's first address in it then. */
export function doOverlap(one: IpRange, other: IpRange): boolean {
  return isInRange(one, addressText(networkBytes(other))) || isInRange(other, addressText(networkBytes(one)));
}

/** The range's first address: bits beyond the prefix are zero. */
export function networkBytes({ bytes, bits }: IpRange): Uint8Array {
  return bytes.map((byte, at) => byte & (0xff00 >> Math.min(Math.max(bits - at * 8, 0), 8)));
}

/** The address so many after the range's first one; past the end it goes on. */
export function addressAt(range: IpRange, offset: bigint): Uint8Array {
  const bytes = networkBytes(range);
  let carry = offset;
  for (let at = bytes.length - 1; carry > 0n && at >= 0; at--) {
    const sum = BigInt(bytes[at] ?? 0) + carry;
    bytes[at] = Number(sum & 0xffn);
    carry = sum >> 8n;
  }
  return bytes;
}

/** `10.0.0.0/8`, with bits beyond the prefix zero. */
export function formatRange(range: IpRange): string {
  return `${addressText(networkBytes(range))}/${range.bits}`;
}
