/** The subject of a request is judged as it is read, and believed as TLS reads it: both have to see one text. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { bitString, oid, sequence, set, tagged, unsignedInteger } from '../der.ts';
import { CertificateError } from '../errors.ts';
import { readRequest } from '../request.ts';
import { checkRequestSignature } from './check-request.ts';
import { makeAuthority, signRequest } from './issue.ts';

const NOW = Math.floor(Date.now() / 1000) * 1000;
const authority = makeAuthority('kubernetes', { notBefore: NOW - 3_600_000, notAfter: NOW + 3_600_000 });
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ORGANIZATION = oid('2.5.4.10');
const COMMON_NAME = oid('2.5.4.3');

/** A request whose names are these, each in a relative name of its own. */
function request(...names: readonly (readonly [type: Uint8Array, value: Uint8Array])[]): string {
  const subject = sequence(...names.map(([type, value]) => set(sequence(type, value))));
  const key = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
  const information = sequence(unsignedInteger(Uint8Array.of(0)), subject, key, tagged(0xa0));
  const signature = new Uint8Array(sign('sha256', information, privateKey));
  const whole = sequence(information, sequence(oid('1.2.840.10045.4.3.2')), bitString(signature));
  const base64 = Buffer.from(whole).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}

const bytes = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array =>
  new Uint8Array(Buffer.from(text, encoding));
const wide = (text: string, size: 2 | 4): Uint8Array =>
  Uint8Array.from(Array.from(text).flatMap((char) => [0, 0, 0, char.charCodeAt(0)].slice(4 - size)));
const M = 'system:masters';

const VALUES: readonly (readonly [name: string, value: Uint8Array, isRead: boolean])[] = [
  ['UTF-8', tagged(0x0c, bytes(M)), true],
  ['UTF-8 beyond ASCII', tagged(0x0c, bytes('zürich 船')), true],
  ['printable', tagged(0x13, bytes('acme')), true],
  ['IA5', tagged(0x16, bytes(M)), true],
  ['T61', tagged(0x14, bytes(M)), true],
  ['T61 beyond ASCII', tagged(0x14, bytes('z\u00fcrich', 'latin1')), true],
  ['BMP', tagged(0x1e, wide(M, 2)), true],
  ['numbers', tagged(0x12, bytes('12 3')), true],
  ['universal', tagged(0x1c, wide(M, 4)), false],
  ['visible', tagged(0x1a, bytes(M)), false],
  ['UTF-8 behind a mark of its order', tagged(0x0c, bytes(`\ufeff${M}`)), true],
  ['BMP behind a mark of its order', tagged(0x1e, wide(`\u0000${M}`, 2).fill(0xfe, 0, 1).fill(0xff, 1, 2)), true],
  ['UTF-8 that is none', tagged(0x0c, Uint8Array.of(0xff, ...bytes(M))), false],
  ['ASCII that is none', tagged(0x16, Uint8Array.of(0xe9, ...bytes(M))), false],
  ['BMP of half a letter', tagged(0x1e, wide(M, 2).subarray(1)), false],
  ['an octet string', tagged(0x04, bytes(M)), false],
  ['an integer', unsignedInteger(bytes(M)), false],
  ['with a nothing in it', tagged(0x0c, bytes(`${M}\0x`)), true],
];

for (const [name, value, isRead] of VALUES) {
  test(`an organization as ${name}`, () => {
    const pem = request([ORGANIZATION, value], [COMMON_NAME, tagged(0x0c, bytes('eve'))]);
    if (!isRead) {
      assert.throws(() => readRequest(pem), CertificateError);
      return;
    }
    const read = readRequest(pem);
    assert.equal(checkRequestSignature(read), undefined);
    const grant = { notBefore: NOW, notAfter: NOW + 1000, usages: [], extendedUsages: [] };
    const { subject } = new X509Certificate(signRequest(authority, read, grant)).toLegacyObject();
    assert.deepEqual(read.organizations, [subject.O]);
    assert.equal(read.commonName, subject.CN);
  });
}
