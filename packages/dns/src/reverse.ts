import { addressBytes } from '@binnacle/base';

/** The name under which an address is asked for (RFC 1035, 3.5; RFC 3596, 2.5); undefined for what is no address. */
export function reverseName(address: string): string | undefined {
  const bytes = addressBytes(address);
  if (bytes === undefined) return undefined;
  if (bytes.length === 4) return `${[...bytes].reverse().join('.')}.in-addr.arpa`;
  const digits = [...bytes].flatMap((byte) => [byte >> 4, byte & 0xf]).reverse();
  return `${digits.map((digit) => digit.toString(16)).join('.')}.ip6.arpa`;
}
