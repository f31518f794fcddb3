import { addressBytes, plainBytes } from '@binnacle/base';

/**
 * Whether an address may be proxied to: one that may belong to one machine somewhere, and not to this host, this link
 * or a group. Links and loopback hold what must not be reached through the API server (Go's `IsGlobalUnicast`).
 */
export function isGlobalUnicast(address: string): boolean {
  const bytes = addressBytes(address);
  if (bytes === undefined) return false;
  const plain = plainBytes(bytes);
  return plain.length === 4 ? isGlobalV4(plain) : isGlobalV6(plain);
}

function isGlobalV4(bytes: Uint8Array): boolean {
  const [a = 0, b = 0] = bytes;
  const isUnspecified = bytes.every((byte) => byte === 0);
  const isBroadcast = bytes.every((byte) => byte === 0xff);
  const isMulticast = a >> 4 === 0xe;
  return !isUnspecified && !isBroadcast && !isMulticast && a !== 127 && !(a === 169 && b === 254);
}

function isGlobalV6(bytes: Uint8Array): boolean {
  const [a = 0, b = 0] = bytes;
  const isLow = bytes.subarray(0, 15).every((byte) => byte === 0);
  // `::` and `::1`.
  if (isLow && (bytes[15] ?? 0) <= 1) return false;
  return a !== 0xff && !(a === 0xfe && (b & 0xc0) === 0x80);
}
