import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCertificate, encodeName, readIssuer } from './certificate.ts';
import { sequence, oid } from './der.ts';
import { readInside } from './der-reader.ts';

const SIGNER = { algorithm: sequence(oid('1.2.840.10045.4.3.2')), sign: (data: Uint8Array) => data.subarray(0, 4) };
const SUBJECT = { commonName: 'system:node:a', organizations: ['system:nodes'] };
const KEY_ID = Uint8Array.of(1, 2, 3);
const MADE = encodeCertificate(
  {
    serial: Uint8Array.of(7),
    subject: SUBJECT,
    notBefore: 0,
    notAfter: 1000,
    publicKey: sequence(),
    keyId: KEY_ID,
    authority: true,
    usages: ['keyCertSign', 'cRLSign'],
    extendedUsages: [],
  },
  { name: encodeName({ commonName: 'ca' }), keyId: Uint8Array.of(9), signer: SIGNER },
);

test('what a signer needs to know of an authority is read back from its certificate', () => {
  const read = readIssuer(MADE);
  assert.deepEqual(read.name, encodeName(SUBJECT));
  assert.deepEqual(read.keyId, KEY_ID);
});

test('the signature covers what is to be signed, and both name one algorithm', () => {
  const [toBeSigned, algorithm, signature] = readInside(MADE);
  assert.ok(toBeSigned !== undefined && algorithm !== undefined && signature !== undefined);
  assert.deepEqual(algorithm.whole, SIGNER.algorithm);
  assert.deepEqual(signature.contents.subarray(1), toBeSigned.whole.subarray(0, 4));
});

test('what is no certificate is refused', () => {
  assert.throws(() => readIssuer(sequence()), /not a certificate/);
  assert.throws(() => readIssuer(sequence(sequence())), /without a subject/);
});
