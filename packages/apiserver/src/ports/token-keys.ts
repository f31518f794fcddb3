/**
 * The key that signs ServiceAccount tokens. The adapter of ./node keeps a P-256 key on disk and answers at once; one
 * that keeps it elsewhere (WebCrypto, a key service) may promise. Throws what its place throws; that is answered
 * with 500.
 */
export interface TokenKeys {
  /** `kid` of the signing key. */
  readonly keyId: string;
  /** As JSON Web Signatures name it (RFC 7518, RFC 8037): `ES256`, `EdDSA`. */
  readonly algorithm: string;
  /** The algorithms of all keys that are believed. Absent: the signing key's is the only one. */
  readonly algorithms?: readonly string[];
  /** The signature in JOSE form (ES256, EdDSA: 64 bytes). */
  sign(data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** False for a key that it does not know. */
  verify(data: Uint8Array, signature: Uint8Array, keyId: string): boolean | Promise<boolean>;
  /** Public keys as JSON Web Keys, for `/openid/v1/jwks`. */
  readonly publicKeys: readonly { readonly [name: string]: string }[];
}

/** Keys in the process's own memory: no promise. */
export interface LocalTokenKeys extends TokenKeys {
  sign(data: Uint8Array): Uint8Array;
  verify(data: Uint8Array, signature: Uint8Array, keyId: string): boolean;
}
