import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeCertificate, encodeName } from './certificate.ts';
import { oid, sequence } from './der.ts';
import { keyPairProblem } from './key-pair.ts';

const SIGNER = { algorithm: sequence(oid('1.2.840.10045.4.3.2')), sign: () => Uint8Array.of(0) };
const SUBJECT = { commonName: 'x' };

function pem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
}

function certificateOf(key: KeyObject): string {
  const publicKey = key.export({ format: 'der', type: 'spki' });
  const contents = {
    ...{ subject: SUBJECT, publicKey, serial: Uint8Array.of(7), keyId: Uint8Array.of(1), notBefore: 0, notAfter: 1 },
    ...{ authority: false, usages: [], extendedUsages: [] },
  };
  const issuer = { name: encodeName(SUBJECT), keyId: Uint8Array.of(9), signer: SIGNER };
  return pem('CERTIFICATE', encodeCertificate(contents, issuer));
}

type Written = 'pkcs1' | 'pkcs8' | 'sec1';

const exported = (key: KeyObject, type: Written): string => String(key.export({ format: 'pem', type }));

const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const strange = generateKeyPairSync('x25519');

const [RSA, EC, ED] = [certificateOf(rsa.publicKey), certificateOf(ec.publicKey), certificateOf(ed.publicKey)];
const EC_KEY = exported(ec.privateKey, 'sec1');
const OTHER = 'tls: private key does not match public key';
const OTHER_SORT = 'tls: private key type does not match public key type';

const ROWS: readonly (readonly [name: string, certificate: string, key: string, problem?: string])[] = [
  ['RSA, PKCS #1', RSA, exported(rsa.privateKey, 'pkcs1')],
  ['RSA, PKCS #8', RSA, exported(rsa.privateKey, 'pkcs8')],
  ['a curve, SEC 1', EC, EC_KEY],
  ['a curve, PKCS #8', EC, exported(ec.privateKey, 'pkcs8')],
  ['Ed25519', ED, exported(ed.privateKey, 'pkcs8')],
  ['parameters of a curve before its key', EC, `${pem('EC PARAMETERS', oid('1.2.840.10045.3.1.7'))}${EC_KEY}`],
  ['a chain: the first one counts', EC + RSA, EC_KEY],
  ["another's RSA key", RSA, exported(otherRsa.privateKey, 'pkcs1'), OTHER],
  ["another's key of a curve", EC, exported(otherEc.privateKey, 'pkcs8'), OTHER],
  ['a key of another sort', RSA, EC_KEY, OTHER_SORT],
  ['a key of yet another sort', ED, EC_KEY, OTHER_SORT],
  ['nothing', '', EC_KEY, 'tls: failed to find any PEM data in certificate input'],
  ['no key', EC, 'x', 'tls: failed to find any PEM data in key input'],
  [
    'changed places',
    EC_KEY,
    EC,
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  ['two certificates', EC, EC, 'tls: found a certificate rather than a key in the PEM for the private key'],
  [
    'other things',
    pem('A', Uint8Array.of(1)) + pem('B', Uint8Array.of(2)),
    '',
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
  [
    'other things for a key',
    EC,
    pem('A', Uint8Array.of(1)),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  ],
  ['no certificate inside', pem('CERTIFICATE', Uint8Array.of(1, 2, 3)), EC_KEY, 'x509: malformed certificate'],
  ['no key inside', EC, pem('PRIVATE KEY', Uint8Array.of(0x30, 0)), 'tls: failed to parse private key'],
  ['an algorithm that signs nothing', certificateOf(strange.publicKey), EC_KEY, 'tls: unknown public key algorithm'],
];

describe('a certificate and its key', () => {
  for (const [name, certificate, key, problem] of ROWS) {
    it(name, () => assert.equal(keyPairProblem(certificate, key), problem));
  }

  it('a megabyte of beginnings without an end is read once', () => {
    const flood = '-----BEGIN CERTIFICATE-----\n'.repeat(40_000);
    const since = process.cpuUsage().user;
    assert.match(String(keyPairProblem(flood, flood)), /any PEM data/);
    assert.ok(process.cpuUsage().user - since < 2_000_000);
  });
});
