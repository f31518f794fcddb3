import assert from 'node:assert/strict';
import type { TLSSocket } from 'node:tls';
import { test } from 'node:test';
import { ClientCertificates } from './client-certificates.ts';

const UID = '1.3.6.1.4.1.57683.2';
const fingerprint256 = 'AB:01';
const shown = (subject: { readonly [type: string]: string | string[] } | undefined, authorized = true) =>
  new ClientCertificates({ clientCa: '' }, { now: () => 0 }).shownOn({
    authorized,
    getPeerCertificate: () => (subject === undefined ? {} : { subject, fingerprint256 }),
  } as unknown as TLSSocket);
const jane = { commonName: 'jane', organizations: [], fingerprint: 'ab01' };

test('a subject is a name, groups and, by a type of its own, a uid', () => {
  assert.deepEqual(shown({ CN: 'jane' }), { certificate: jane });
  assert.deepEqual(shown({ CN: ['joe', 'jane'], O: ['a', 'b'], [UID]: 'u-1' }), {
    certificate: { ...jane, organizations: ['a', 'b'], uid: 'u-1' },
  });
  assert.deepEqual(shown({ O: 'a' }), {});
  assert.deepEqual(shown(undefined), {});
});

test('what nobody vouches for, or has several uids or an empty one, is nobody', () => {
  assert.deepEqual(shown({ CN: 'jane' }, false), { foreignCertificate: true });
  assert.deepEqual(shown({ CN: 'jane', [UID]: ['u-1', 'u-2'] }), { foreignCertificate: true });
  assert.deepEqual(shown({ CN: 'jane', [UID]: '' }), { foreignCertificate: true });
});

test('when it ends is told of each that came, whoever vouches for it', () => {
  const valid_to = 'Nov 23 15:40:26 2027 GMT';
  const ends = (authorized: boolean) =>
    new ClientCertificates({ clientCa: '' }, { now: () => 0 }).shownOn({
      authorized,
      getPeerCertificate: () => ({ subject: { CN: 'jane' }, fingerprint256, valid_to }),
    } as unknown as TLSSocket).certificateEndsMs;
  for (const authorized of [true, false]) assert.equal(ends(authorized), Date.UTC(2027, 10, 23, 15, 40, 26));
});
