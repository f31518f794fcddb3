import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { makeAuthority } from './issue.ts';
import { checkPair } from './pair.ts';

const LIFE = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) };
const one = makeAuthority('one', LIFE);
const pem = (type: 'ec' | 'ed25519'): string => {
  const { privateKey } = type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync(type);
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};

describe('a certificate and a key', () => {
  const rows: readonly [string, string, string, RegExp | undefined][] = [
    ['that belong together', one.certificate, one.key, undefined],
    ['behind which there are others', one.certificate + makeAuthority('two', LIFE).certificate, one.key, undefined],
    ['with another key of the same sort', one.certificate, pem('ec'), /does not match/],
    ['with a key of another sort', one.certificate, pem('ed25519'), /does not match/],
    ['of which the key is none', one.certificate, 'x', /cannot be read/],
    ['of which the certificate is none', 'x', one.key, /cannot be read/],
  ];
  for (const [name, certificate, key, expected] of rows) {
    test(name, () => {
      if (expected === undefined) checkPair({ certificate, key });
      else assert.throws(() => checkPair({ certificate, key }), expected);
    });
  }
});
