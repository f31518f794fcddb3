import type { TokenKeys } from '../ports/token-keys.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

/** The part of WebCrypto that Ed25519 takes: `crypto.subtle` of Node.js and of browsers. */
export interface Ed25519Crypto<Key> {
  importKey(
    format: 'pkcs8',
    data: Uint8Array,
    algorithm: { readonly name: 'Ed25519' },
    extractable: boolean,
    usages: 'sign'[],
  ): Promise<Key>;
  importKey(
    format: 'raw',
    data: Uint8Array,
    algorithm: { readonly name: 'Ed25519' },
    extractable: boolean,
    usages: 'verify'[],
  ): Promise<Key>;
  exportKey(format: 'jwk', key: Key): Promise<{ readonly x?: string }>;
  sign(algorithm: { readonly name: 'Ed25519' }, key: Key, data: Uint8Array): Promise<ArrayBuffer>;
  verify(algorithm: { readonly name: 'Ed25519' }, key: Key, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
}

const NAME = { name: 'Ed25519' } as const;
const SEED_BYTES = 32;
/** What comes before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/**
 * Token keys made of a number: the same number, the same tokens, for simulations whose transcripts are compared. Ed25519
 * signs deterministically. Whoever knows the number can sign, so this is for tests only.
 */
export async function createSeededTokenKeys<Key>(subtle: Ed25519Crypto<Key>, seed: number): Promise<TokenKeys> {
  const secret = new Uint8Array(SEED_BYTES);
  new DataView(secret.buffer).setFloat64(0, seed);
  const key = await subtle.importKey('pkcs8', Uint8Array.from([...PKCS8, ...secret]), NAME, true, ['sign']);
  const { x = '' } = await subtle.exportKey('jwk', key);
  const point = decodeBase64Url(x) ?? new Uint8Array(0);
  const publicKey = await subtle.importKey('raw', point, NAME, true, ['verify']);
  const keyId = encodeBase64Url(new TextEncoder().encode(`seed-${seed}`));
  return {
    keyId,
    algorithm: 'EdDSA',
    sign: async (data) => new Uint8Array(await subtle.sign(NAME, key, data)),
    verify: (data, signature, id) => (id === keyId ? subtle.verify(NAME, publicKey, signature, data) : false),
    publicKeys: [{ use: 'sig', kty: 'OKP', kid: keyId, crv: 'Ed25519', alg: 'EdDSA', x }],
  };
}
