import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { identityCheck, trustKeyOf } from './server-identity.ts';

const NAME = 'web.default.svc';

function told(subjectaltname: string | undefined): string | undefined {
  const peer = { subject: { CN: NAME }, subjectaltname } as PeerCertificate;
  return identityCheck(NAME).checkServerIdentity('dialled', peer)?.message;
}

test('a common name counts for nothing, whatever other names stand beside it', () => {
  assert.equal(told(`DNS:${NAME}`), undefined);
  assert.equal(told(undefined), 'the certificate has no alternative names');
  for (const names of ['IP Address:127.0.0.1', 'URI:spiffe://cluster.local/web', 'email:a@b.c', '']) {
    assert.match(told(names) ?? 'believed', /does not contain a DNS name/, names);
  }
});

test('a refused certificate is told of with its names', () => {
  const peer = { subject: { CN: NAME }, subjectaltname: 'DNS:other.default.svc' } as PeerCertificate;
  const error = identityCheck(NAME).checkServerIdentity('dialled', peer) as Error & { readonly cert: PeerCertificate };
  assert.equal(error.cert.subjectaltname, peer.subjectaltname);
});

test('who believes the same shares connections, whoever says it', () => {
  assert.equal(trustKeyOf({ ca: 'a' }), trustKeyOf({ ca: 'a' }));
  for (const other of [{}, { ca: 'b' }, { ca: 'a', insecure: true }, { ca: 'a', key: 'k' }])
    assert.notEqual(trustKeyOf({ ca: 'a' }), trustKeyOf(other));
});
