import { exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';

/** What an issuer signs with, and what it tells everybody of it. */
export async function makeIssuerKey(): Promise<{ readonly key: CryptoKey; readonly jwk: JWK }> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  return { key: pair.privateKey, jwk: { ...(await exportJWK(pair.publicKey)), kid: 'a', alg: 'RS256' } };
}
