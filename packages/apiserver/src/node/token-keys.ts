import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { LocalTokenKeys } from '../ports/token-keys.ts';
import { CatalogueError } from '@binnacle/base';
import { readTextFile, writeSecretFile } from '@binnacle/base/node';

/** A file of keys that holds none, or none that signs tokens. */
export class TokenKeyError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('token-key', message, { cause });
  }
}

/** The key that signs ServiceAccount tokens, kept in `path` (PEM, P-256); made at the first start. */
export async function ensureTokenKeys(path: string): Promise<LocalTokenKeys> {
  const kept = await readTextFile(path);
  if (kept !== undefined) return tokenKeysOf(privateKeyOf({ name: path, text: kept }), path);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeSecretFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  return tokenKeysOf(privateKey);
}

/** A key that lives as long as the process: for clusters that keep nothing. */
export function createTokenKeys(): LocalTokenKeys {
  return tokenKeysOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** A file of keys, read. */
export interface KeyFile {
  /** What it is called in messages. */
  readonly name: string;
  /** Several blocks of PEM, private or public. */
  readonly text: string;
}

/** Keys by upstream's flags. */
export interface TokenKeyFiles {
  /** A private key. Absent: the one kept in `path`. */
  readonly signing?: KeyFile;
  /** Further keys that are believed. */
  readonly verifying: readonly KeyFile[];
}

/**
 * Signs with the key given, or the one kept in `path`, and believes all others as well: API servers with data
 * directories of their own share them so. RSA and EC keys, as upstream. Throws TokenKeyError.
 */
export async function readTokenKeys(path: string, { signing, verifying }: TokenKeyFiles): Promise<LocalTokenKeys> {
  if (signing === undefined && verifying.length === 0) return ensureTokenKeys(path);
  const own = signing === undefined ? await ensureTokenKeys(path) : tokenKeysOf(privateKeyOf(signing), signing.name);
  const others = verifying.flatMap((file) => publicKeysOf(file).map((key) => verifierOf(key, file.name)));
  const byId = new Map(others.map((key) => [key.keyId, key]));
  byId.delete(own.keyId);
  const rest = [...byId.values()];
  return {
    ...own,
    algorithms: [...new Set([own.algorithm, ...rest.map(({ algorithm }) => algorithm)])],
    verify: (data, signature, id) =>
      id === own.keyId ? own.verify(data, signature, id) : byId.get(id)?.verify(data, signature) === true,
    publicKeys: [...own.publicKeys, ...rest.map(({ webKey }) => webKey)],
  };
}

function privateKeyOf({ name, text }: KeyFile): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new TokenKeyError(`${name} is not a private key in PEM form`, error);
  }
}

const BLOCK = /-----BEGIN ([A-Z ]{1,30})-----[^-]*-----END \1-----/g;

function publicKeysOf({ name, text }: KeyFile): KeyObject[] {
  const blocks = [...text.matchAll(BLOCK)].filter(([, label]) => label?.includes('KEY') === true);
  if (blocks.length === 0) throw new TokenKeyError(`${name} holds no key in PEM form`);
  try {
    return blocks.map(([block]) => createPublicKey(block));
  } catch (error) {
    throw new TokenKeyError(`${name} holds no key in PEM form`, error);
  }
}

interface Verifier {
  readonly keyId: string;
  readonly algorithm: string;
  readonly hash: string;
  readonly webKey: { readonly [name: string]: string };
  verify(data: Uint8Array, signature: Uint8Array): boolean;
}

/** By the curve of RFC 7518: the algorithm and its hash. */
const CURVES: { readonly [curve: string]: readonly [algorithm: string, hash: string] } = {
  'P-256': ['ES256', 'sha256'],
  'P-384': ['ES384', 'sha384'],
  'P-521': ['ES512', 'sha512'],
};

const IEEE = { dsaEncoding: 'ieee-p1363' } as const;

function verifierOf(key: KeyObject, name = 'a key'): Verifier {
  const keyId = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const jwk = key.export({ format: 'jwk' });
  const curve = CURVES[jwk.crv ?? ''];
  if (jwk.kty === 'EC' && curve !== undefined) {
    const [algorithm, hash] = curve;
    const { crv = '', x = '', y = '' } = jwk;
    return {
      keyId,
      algorithm,
      hash,
      webKey: { use: 'sig', kty: 'EC', kid: keyId, crv, alg: algorithm, x, y },
      verify: (data, signature) => verify(hash, data, { key, ...IEEE }, signature),
    };
  }
  if (jwk.kty !== 'RSA') throw new TokenKeyError(`${name}: only RSA and EC keys sign tokens`);
  const { n = '', e = '' } = jwk;
  return {
    keyId,
    algorithm: 'RS256',
    hash: 'sha256',
    webKey: { use: 'sig', kty: 'RSA', kid: keyId, alg: 'RS256', n, e },
    verify: (data, signature) => verify('sha256', data, key, signature),
  };
}

function tokenKeysOf(privateKey: KeyObject, name?: string): LocalTokenKeys {
  const own = verifierOf(createPublicKey(privateKey), name);
  return {
    keyId: own.keyId,
    algorithm: own.algorithm,
    sign: (data) => sign(own.hash, data, { key: privateKey, ...IEEE }),
    verify: (data, signature, id) => id === own.keyId && own.verify(data, signature),
    publicKeys: [own.webKey],
  };
}
