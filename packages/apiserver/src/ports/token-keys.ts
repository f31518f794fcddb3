/** The key that signs ServiceAccount tokens (ES256); the adapter is in node/, another may keep the key elsewhere. */
export interface TokenKeys {
  /** `kid` of the signing key. */
  readonly keyId: string;
  /** The signature in JOSE form (64 bytes: r, s). */
  sign(data: Uint8Array): Uint8Array;
  verify(data: Uint8Array, signature: Uint8Array, keyId: string): boolean;
  /** Public keys as JSON Web Keys, for `/openid/v1/jwks`. */
  readonly publicKeys: readonly { readonly [name: string]: string }[];
}
