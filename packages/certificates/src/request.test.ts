import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CertificateError } from './errors.ts';
import { readRequest } from './request.ts';
import { REQUESTS } from './testing/requests.ts';

const MASTERS = ['system:masters', 'devs'];

for (const [name, pem, organizations, commonName, algorithm] of [
  ['RSA', REQUESTS.rsa, MASTERS, 'eve', '1.2.840.113549.1.1.11'],
  ['P-256', REQUESTS.ec, ['devs'], 'alice', '1.2.840.10045.4.3.2'],
  ['Ed25519', REQUESTS.ed25519, MASTERS, 'eve', '1.3.101.112'],
  ['text before the block', `of alice\n${REQUESTS.ec}`, ['devs'], 'alice', '1.2.840.10045.4.3.2'],
] as const) {
  test(`a request is read: ${name}`, () => {
    const request = readRequest(pem);
    assert.deepEqual(
      [request.organizations, request.commonName, request.algorithm],
      [[...organizations], commonName, algorithm],
    );
  });
}

const NOT_A_REQUEST = 'PEM block type must be CERTIFICATE REQUEST';
const inPem = (der: string): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`;

for (const [name, pem, message] of [
  ['nothing', '', NOT_A_REQUEST],
  ['another block', REQUESTS.ec.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), NOT_A_REQUEST],
  ['no end', REQUESTS.ec.slice(0, 200), NOT_A_REQUEST],
  ['no base64', inPem('????'), NOT_A_REQUEST],
  ['no DER', inPem('AAAA'), 'DER'],
  ['an empty sequence', inPem('MAA='), 'not a certificate request'],
  ['cut off', inPem(REQUESTS.ec.split('\n').slice(1, 3).join('')), 'DER ends inside an element'],
] as const) {
  test(`what is no request is refused: ${name}`, () => {
    assert.throws(
      () => readRequest(pem),
      (error) => error instanceof CertificateError && error.message.includes(message === 'DER' ? '' : message),
    );
  });
}

test('a megabyte of starts of blocks takes no time', () => {
  const began = process.cpuUsage().user;
  assert.throws(() => readRequest('-----BEGIN CERTIFICATE REQUEST-----\n'.repeat(30_000)), CertificateError);
  assert.ok(process.cpuUsage().user - began < 500_000);
});
