import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { LocalTokenKeys } from '../ports/token-keys.ts';
import { readTextFile, writeSecretFile } from '@binnacle/base/node';

/** The key that signs ServiceAccount tokens, kept in `path` (PEM, P-256); made at the first start. */
export async function ensureTokenKeys(path: string): Promise<LocalTokenKeys> {
  const kept = await readTextFile(path);
  if (kept !== undefined) return tokenKeysOf(createPrivateKey(kept));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeSecretFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  return tokenKeysOf(privateKey);
}

/** A key that lives as long as the process: for clusters that keep nothing. */
export function createTokenKeys(): LocalTokenKeys {
  return tokenKeysOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

function tokenKeysOf(privateKey: KeyObject): LocalTokenKeys {
  const publicKey = createPublicKey(privateKey);
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return {
    keyId,
    algorithm: 'ES256',
    sign: (data) => sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
    verify: (data, signature, id) =>
      id === keyId && verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature),
    publicKeys: [{ use: 'sig', kty: 'EC', kid: keyId, crv: 'P-256', alg: 'ES256', x, y }],
  };
}
