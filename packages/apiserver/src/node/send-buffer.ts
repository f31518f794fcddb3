/**
 * Memory for a reply, from Node's pool: a small buffer of its own costs a system allocation and a finaliser.
 * Only for bytes that are sent and forgotten; a kept slice would hold its whole 8 KiB slab.
 */
export function sendBuffer(size: number): Uint8Array {
  return Buffer.allocUnsafe(size);
}
