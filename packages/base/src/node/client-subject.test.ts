import assert from 'node:assert/strict';
import type { TLSSocket } from 'node:tls';
import { test } from 'node:test';
import { clientSubject } from './client-subject.ts';

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
