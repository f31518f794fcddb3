import assert from 'node:assert/strict';
import type { TLSSocket } from 'node:tls';
import { test } from 'node:test';
import { certifiedCaller, clientSubject } from './client-subject.ts';

const shown = (certificate: object) => clientSubject({ getPeerCertificate: () => certificate } as unknown as TLSSocket);
const WHOLE = { fingerprint256: 'AB:01', valid_to: 'Nov 23 15:40:26 2027 GMT' };

test('whom a certificate names, of what, until when, and which one it is', () => {
  assert.equal(shown({}), undefined);
  const jane = shown({ ...WHOLE, subject: { CN: 'jane', O: 'a', '1.2.3': ['x', 'y'] } });
  assert.ok(jane !== undefined);
  assert.deepEqual([jane.commonName, jane.organizations, jane.fingerprint], ['jane', ['a'], 'ab01']);
  assert.equal(jane.endsMs, Date.UTC(2027, 10, 23, 15, 40, 26));
  assert.deepEqual([jane.of('1.2.3'), jane.of('UID')], [['x', 'y'], []]);
});

test('of several common names the last counts; who has none has an empty one', () => {
  assert.equal(shown({ ...WHOLE, subject: { CN: ['joe', 'jane'] } })?.commonName, 'jane');
  assert.deepEqual(shown({ ...WHOLE, subject: { O: ['a', 'b'] } })?.organizations, ['a', 'b']);
  assert.equal(shown({ ...WHOLE, subject: { O: 'a' } })?.commonName, '');
});

const NOW = Date.UTC(2026, 10, 24);
const SOON = 'Nov 25 00:00:00 2026 GMT';
const BEFORE = 'Nov 23 00:00:00 2026 GMT';
const JANE = { CN: 'jane', O: ['a', 'b'] };

for (const [what, authorized, subject, valid_to, expected] of [
  ['believed', true, JANE, SOON, { name: 'jane', groups: ['a', 'b', 'system:authenticated'] }],
  ['of no group', true, { CN: 'jane' }, SOON, { name: 'jane', groups: ['system:authenticated'] }],
  ['not believed', false, JANE, SOON, undefined],
  ['ended since the connection was made', true, JANE, BEFORE, undefined],
  ['of nobody', true, { O: 'a' }, SOON, undefined],
  ['none', true, undefined, SOON, undefined],
] as const) {
  test(`whom a certificate names: ${what}`, () => {
    const certificate = { subject, fingerprint256: '', valid_to };
    const socket = { authorized, getPeerCertificate: () => certificate } as unknown as TLSSocket;
    assert.deepEqual(certifiedCaller(socket, NOW), expected);
  });
}
