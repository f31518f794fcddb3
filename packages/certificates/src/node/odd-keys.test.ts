/** Requests with keys that nobody makes: an answer each. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import { bitString, oid, sequence, tagged, unsignedInteger } from '../der.ts';
import type { CertificateRequest } from '../request.ts';
import { checkRequestSignature } from './check-request.ts';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const P256 = oid('1.2.840.10045.3.1.7');
const NULL = tagged(0x05);

/** A large odd number. */
function number(bits: number): Uint8Array {
  const bytes = new Uint8Array(bits / 8).fill(0xa5);
  bytes[0] = 0xff;
  bytes[bytes.length - 1] = 0xff;
  return bytes;
}

const rsa = (modulus: Uint8Array, exponent: Uint8Array): Uint8Array =>
  sequence(sequence(oid(RSA), NULL), bitString(sequence(unsignedInteger(modulus), unsignedInteger(exponent))));
const ec = (parameters: Uint8Array, point: Uint8Array): Uint8Array =>
  sequence(sequence(oid(EC), parameters), bitString(point));

/** A curve of the caller's own, over a prime of so many bits. */
const ownCurve = (bits: number): Uint8Array =>
  sequence(
    unsignedInteger(Uint8Array.of(1)),
    sequence(oid('1.2.840.10045.1.1'), unsignedInteger(number(bits))),
    sequence(tagged(0x04, number(bits)), tagged(0x04, number(bits))),
    tagged(0x04, Uint8Array.of(4), number(bits), number(bits)),
    unsignedInteger(number(bits)),
    unsignedInteger(Uint8Array.of(1)),
  );

const E = Uint8Array.of(1, 0, 1);
const ECDSA = '1.2.840.10045.4.3.2';
const WITH_RSA = '1.2.840.113549.1.1.11';

for (const [name, publicKey, algorithm, size] of [
  ['RSA of 512 bits', rsa(number(512), E), WITH_RSA, 64],
  ['RSA of 16,384 bits', rsa(number(16_384), E), WITH_RSA, 2048],
  ['RSA of 65,536 bits', rsa(number(65_536), E), WITH_RSA, 8192],
  ['RSA of a megabyte', rsa(number(8 << 20), E), WITH_RSA, 1 << 20],
  ['RSA with an exponent as long as the modulus', rsa(number(3072), number(3072)), WITH_RSA, 384],
  ['RSA with a longer exponent', rsa(number(16_384), number(16_384)), WITH_RSA, 2048],
  ['RSA with an exponent of one', rsa(number(2048), Uint8Array.of(1)), WITH_RSA, 256],
  ['RSA of nothing', rsa(Uint8Array.of(0), Uint8Array.of(0)), WITH_RSA, 1],
  ['RSA of an even number', rsa(new Uint8Array(256).fill(0xfe), E), WITH_RSA, 256],
  ['a point that is not on the curve', ec(P256, Uint8Array.of(4, ...number(256), ...number(256))), ECDSA, 70],
  ['the point at infinity', ec(P256, Uint8Array.of(0)), ECDSA, 70],
  ['a curve of its own', ec(ownCurve(256), Uint8Array.of(4, ...number(256), ...number(256))), ECDSA, 70],
  ['a large curve of its own', ec(ownCurve(65_536), Uint8Array.of(4, ...number(65_536), ...number(65_536))), ECDSA, 70],
  ['no curve', ec(NULL, Uint8Array.of(4)), ECDSA, 70],
  ['Ed25519 cut short', sequence(sequence(oid('1.3.101.112')), bitString(new Uint8Array(31))), '1.3.101.112', 64],
  ['Ed25519 of nothing', sequence(sequence(oid('1.3.101.112')), bitString(new Uint8Array(32))), '1.3.101.112', 64],
  ['another algorithm', rsa(number(2048), E), ECDSA, 70],
  ['no key', sequence(), WITH_RSA, 256],
] as const) {
  test(`refused: ${name}`, () => {
    const signature = randomFillSync(new Uint8Array(size));
    const request = { publicKey, algorithm, signature, toBeSigned: new Uint8Array(100) };
    const why = checkRequestSignature(request as unknown as CertificateRequest);
    assert.match(why ?? '', /^(?:x509|crypto)/);
  });
}
