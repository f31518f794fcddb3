import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CertificateTable } from './certificate-table.ts';

const TABLE = new CertificateTable([
  { age: '2', tls: [{ hosts: ['*.example.com', 'api.example.com'], secret: 'ns/second' }] },
  { age: '1', tls: [{ hosts: ['shop.example.com', '*.example.com'], secret: 'ns/first' }] },
]);

const ROWS: readonly (readonly [name: string, secret: string | undefined])[] = [
  ['shop.example.com', 'ns/first'],
  ['SHOP.example.com', 'ns/first'],
  ['other.example.com', 'ns/first'],
  ['api.example.com', 'ns/second'],
  ['a.b.example.com', undefined],
  ['example.com', undefined],
  ['constructor', undefined],
  ['', undefined],
];

const ANY = new CertificateTable([
  {
    age: '1',
    tls: [
      { hosts: ['', 'api.example.com'], secret: 'ns/any' },
      { hosts: ['shop.example.com', ''], secret: 'ns/second' },
    ],
  },
]);

test('who names no host has its certificate shown for every name that nobody has', () => {
  assert.equal(ANY.secretFor('other.example.com'), 'ns/any');
  assert.equal(ANY.secretFor('api.example.com'), 'ns/any');
  assert.equal(ANY.secretFor('shop.example.com'), 'ns/second');
});

for (const [name, secret] of ROWS) {
  test(`the certificate of "${name}"`, () => assert.equal(TABLE.secretFor(name), secret));
}
