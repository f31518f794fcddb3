import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import type { CertificatePair } from '../ports.ts';
import { TlsContexts } from './tls-contexts.ts';

const LIFE = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000, client: false };
const authority = makeAuthority('test', LIFE);
const one = issueCertificate(authority, { commonName: 'a' }, LIFE);
const other = issueCertificate(authority, { commonName: 'b' }, LIFE);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pairOf = (certificate: string, key: string): CertificatePair => ({
  id: `${certificate} ${key}`,
  certificate: base64(certificate),
  key: base64(key),
});

const LARGE_KEY = readFileSync(new URL('../testing/large-key.pem', import.meta.url), 'utf8');
const edwardsKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const ROWS: readonly (readonly [name: string, pair: CertificatePair, refusal: RegExp | undefined])[] = [
  ['a pair', pairOf(one.certificate, one.key), undefined],
  ['a chain', pairOf(`${one.certificate}\n${authority.certificate}`, one.key), undefined],
  ['no certificate', pairOf('', one.key), /tls\.crt is not there/],
  ['no key', pairOf(one.certificate, ''), /tls\.key is not there/],
  ["another one's key", pairOf(one.certificate, other.key), /no pair/],
  ['a key whose signatures take long', pairOf(one.certificate, LARGE_KEY), /^tls\.key has 4104 bits, more than 4096/],
  ['a key of another sort', pairOf(one.certificate, edwardsKey()), /no pair: the private key does not match/],
  ['nonsense', pairOf('nonsense', 'nonsense'), /no pair/],
];

for (const [name, pair, refusal] of ROWS) {
  test(`a Secret with ${name}`, () => {
    const found = new TlsContexts({ certificateFor: () => undefined }).refusalOf(pair);
    if (refusal === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', refusal);
  });
}

test('a context is made once a pair', () => {
  let pair = pairOf(one.certificate, one.key);
  const contexts = new TlsContexts({ certificateFor: (name) => (name === 'a' ? pair : undefined) });
  const chosen: unknown[] = [];
  const choose = (name: string): void => contexts.choose(name, (_error, context) => chosen.push(context));
  choose('a');
  choose('a');
  pair = { ...pair, id: 'renewed' };
  choose('a');
  choose('b');
  assert.equal(chosen[0], chosen[1]);
  assert.notEqual(chosen[0], chosen[2]);
  assert.equal(chosen[3], undefined);
});
