import assert from 'node:assert/strict';
import test from 'node:test';
import { getCiphers } from 'node:tls';
import { readTlsChoice, TlsChoiceError } from './tls-choice.ts';

test('nothing chosen is left to the machine', () => {
  assert.deepEqual(readTlsChoice(undefined, undefined), {});
});

test('versions and ciphers, by the names of Go', () => {
  assert.deepEqual(readTlsChoice('VersionTLS13', ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256']), {
    minVersion: 'TLSv1.3',
    ciphers: 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256',
  });
  const known = new Set(getCiphers().map((name) => name.toUpperCase()));
  const { ciphers = '' } = readTlsChoice(undefined, ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256']);
  for (const name of ciphers.split(':')) assert.ok(known.has(name.toUpperCase()), name);
});

for (const [name, version, suites] of [
  ['a version that is too old', 'VersionTLS10', undefined],
  ['a version that is none', '1.2', undefined],
  ['a cipher that is none', undefined, ['TLS_X']],
  ['a cipher that is broken', undefined, ['TLS_RSA_WITH_RC4_128_SHA']],
] as const) {
  test(`refused: ${name}`, () => assert.throws(() => readTlsChoice(version, suites), TlsChoiceError));
}
