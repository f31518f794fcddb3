import type { TokenKeys } from '@binnacle/apiserver';

const SIGNATURE_BYTES = 64;

/**
 * Keys that sign the same data the same way for the same seed, so that a cluster under a seed repeats itself to the
 * byte. A checksum, no signature: anybody could make it.
 */
export function seededTokenKeys(seed: number): TokenKeys & { readonly algorithm: string } {
  const keyId = `seed-${seed}`;
  const sign = (data: Uint8Array): Uint8Array => checksum(data, seed);
  return {
    keyId,
    algorithm: 'ES256',
    sign,
    verify: (data, signature, id) =>
      id === keyId && checksum(data, seed).every((byte, i) => byte === signature[i]) && signature.length === 64,
    publicKeys: [],
  };
}

/** FNV-1a, once for each byte of the result. */
function checksum(data: Uint8Array, seed: number): Uint8Array {
  const made = new Uint8Array(SIGNATURE_BYTES);
  for (let i = 0; i < SIGNATURE_BYTES; i++) {
    let hash = 0x811c9dc5 ^ seed ^ (i << 16);
    for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193);
    made[i] = hash >>> 24;
  }
  return made;
}
