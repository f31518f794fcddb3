import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import { CLIENT_USE, namesAll, servingUse } from './node-certificate.ts';

const LIFE = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) };
const SUBJECT = { commonName: 'system:node:n1', hostnames: ['n1'], ips: ['192.0.2.7', 'fd00::7'] };
const held = { ...issueCertificate(makeAuthority('ca', LIFE), SUBJECT, { ...LIFE, client: false }), ...LIFE };

const ROWS: readonly (readonly [name: string, addresses: readonly (readonly [string, string])[], wanted: boolean])[] = [
  ['the same', ['InternalIP 192.0.2.7', 'InternalIP fd00::7', 'Hostname n1'].map(asPair), true],
  ['fewer', ['InternalIP fd00:0::7'].map(asPair), true],
  ['another address', ['InternalIP 192.0.2.8', 'Hostname n1'].map(asPair), false],
  ['one more', ['InternalIP 192.0.2.7', 'ExternalIP 198.51.100.1'].map(asPair), false],
  ['another name', ['InternalIP 192.0.2.7', 'Hostname n2'].map(asPair), false],
];

function asPair(text: string): readonly [string, string] {
  const [type = '', address = ''] = text.split(' ');
  return [type, address];
}

for (const [name, addresses, wanted] of ROWS) {
  test(`a certificate that is held names the node's addresses of today: ${name}`, () => {
    assert.equal(namesAll(held, servingUse(addresses.map(([type, address]) => ({ type, address })))), wanted);
  });
}

test('one for speaking names nobody beside the node', () => assert.equal(namesAll(held, CLIENT_USE), true));
