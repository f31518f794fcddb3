import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { encodeCertificate, encodeName } from '../certificate.ts';
import { issueCertificate, makeAuthority } from './issue.ts';
import type { KeyPair } from './issue.ts';
import { keyPem, publicHalf, signerOf } from './keys.ts';

const HOUR = 3_600_000;
const now = Date.now();
const LIFE = { notBefore: now - HOUR, notAfter: now + HOUR };
const folder = makeTestFolder().path;
after(() => rmSync(folder, { recursive: true }));

/** An authority with a key of another kind, as an administrator may bring one. */
function foreignAuthority(type: 'rsa' | 'p384' | 'ed25519'): KeyPair {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : type === 'p384'
        ? generateKeyPairSync('ec', { namedCurve: 'P-384' })
        : generateKeyPairSync('ed25519');
  const half = publicHalf(privateKey);
  const subject = { commonName: 'Große Behörde', organizations: ['a company'] };
  const der = encodeCertificate(
    {
      ...LIFE,
      ...half,
      serial: Uint8Array.of(0, 0, 0x80, 1),
      subject,
      authority: true,
      usages: ['keyCertSign'],
      extendedUsages: [],
    },
    { name: encodeName(subject), keyId: half.keyId, signer: signerOf(privateKey) },
  );
  const certificate = new X509Certificate(der);
  return { certificate: certificate.toString(), key: keyPem(privateKey) };
}

function openssl(...args: readonly string[]): string {
  const done = spawnSync('openssl', args, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr + done.stdout);
  return done.stdout;
}

function verify(authority: KeyPair, leaf: KeyPair, purpose: string): string {
  const [ca, crt] = [join(folder, 'ca.crt'), join(folder, 'leaf.crt')];
  writeFileSync(ca, authority.certificate);
  writeFileSync(crt, leaf.certificate);
  return openssl('verify', '-x509_strict', '-CAfile', ca, '-purpose', purpose, crt);
}

const AUTHORITIES: readonly (readonly [string, () => KeyPair])[] = [
  ['our own, P-256', () => makeAuthority('kubernetes', LIFE)],
  ['RSA', () => foreignAuthority('rsa')],
  ['P-384', () => foreignAuthority('p384')],
  ['Ed25519', () => foreignAuthority('ed25519')],
];

for (const [name, make] of AUTHORITIES) {
  test(`openssl verifies what ${name} signs, for both purposes`, () => {
    const authority = make();
    const both = {
      commonName: 'system:node:a',
      organizations: ['system:nodes', 'zweite'],
      hostnames: ['a'],
      ips: ['fd00::9'],
    };
    const leaf = issueCertificate(authority, both, { ...LIFE, client: true });
    assert.match(verify(authority, leaf, 'sslserver'), /OK/);
    assert.match(verify(authority, leaf, 'sslclient'), /OK/);
  });
}

test('the fields of a leaf and of its authority', () => {
  const authority = makeAuthority('kubernetes', LIFE);
  const leaf = issueCertificate(authority, { commonName: 'a', ips: ['::1', '10.0.0.1'] }, { ...LIFE, client: false });
  writeFileSync(join(folder, 'shown.crt'), leaf.certificate);
  const shown = openssl('x509', '-in', join(folder, 'shown.crt'), '-noout', '-text');
  for (const line of [
    /Version: 3/,
    /Key Usage: critical\n\s+Digital Signature\n/,
    /Extended Key Usage: \n\s+TLS Web Server Authentication\n/,
    /Basic Constraints: critical\n\s+CA:FALSE/,
    /Authority Key Identifier/,
    /IP Address:0:0:0:0:0:0:0:1, IP Address:10\.0\.0\.1/,
  ])
    assert.match(shown, line);
  writeFileSync(join(folder, 'shown.crt'), authority.certificate);
  const ca = openssl('x509', '-in', join(folder, 'shown.crt'), '-noout', '-text');
  assert.match(ca, /Digital Signature, Certificate Sign, CRL Sign/);
  assert.doesNotMatch(ca, /Extended Key Usage/);
});

test('TLS with client certificates, and no trust in another authority of the same name', async () => {
  const authority = makeAuthority('kubernetes', LIFE);
  const server = issueCertificate(authority, { commonName: 's', hostnames: ['localhost'] }, { ...LIFE, client: false });
  const client = issueCertificate(authority, { commonName: 'kubernetes-admin' }, { ...LIFE, client: true });
  const stranger = issueCertificate(makeAuthority('kubernetes', LIFE), { commonName: 'x' }, { ...LIFE, client: true });
  const options = { cert: server.certificate, key: server.key, ca: authority.certificate, requestCert: true };
  const listening = createServer({ ...options, rejectUnauthorized: false }, (socket) => {
    socket.end(socket.authorized ? (socket.getPeerCertificate().subject.CN as string) : 'nobody');
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const ask = (pair: KeyPair): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = listening.address() as AddressInfo;
      const socket = connect({
        port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: authority.certificate,
        cert: pair.certificate,
        key: pair.key,
      });
      socket.once('data', (data) => resolve(data.toString()));
      socket.once('error', reject);
    });
  assert.equal(await ask(client), 'kubernetes-admin');
  assert.equal(await ask(stranger), 'nobody');
  listening.close();
});

test('a year from 2050 on is written in full', () => {
  const authority = makeAuthority('far', { notBefore: now, notAfter: Date.UTC(2060, 0, 2) });
  assert.equal(new X509Certificate(authority.certificate).validTo, 'Jan  2 00:00:00 2060 GMT');
});
