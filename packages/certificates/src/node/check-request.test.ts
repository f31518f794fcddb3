import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequest } from '../request.ts';
import { REQUESTS } from '../testing/requests.ts';
import { checkRequestSignature } from './check-request.ts';

for (const [name, pem, failure] of [
  ['RSA', REQUESTS.rsa, 'crypto/rsa: verification error'],
  ['P-256', REQUESTS.ec, 'x509: ECDSA verification failure'],
  ['Ed25519', REQUESTS.ed25519, 'x509: Ed25519 verification failure'],
] as const) {
  test(`a request is signed by its own key: ${name}`, () => {
    const request = readRequest(pem);
    assert.equal(checkRequestSignature(request), undefined);
    const changed = request.toBeSigned.slice();
    changed[changed.length - 5] = (changed[changed.length - 5] ?? 0) ^ 1;
    assert.equal(checkRequestSignature({ ...request, toBeSigned: changed }), failure);
    assert.equal(checkRequestSignature({ ...request, signature: new Uint8Array(3) }), failure);
  });
}

test('keys and algorithms that do not go together', () => {
  const [rsa, ec] = [readRequest(REQUESTS.rsa), readRequest(REQUESTS.ec)];
  const other = 'x509: signature algorithm specifies another public key than the one that is there';
  assert.equal(checkRequestSignature({ ...rsa, publicKey: ec.publicKey }), other);
  assert.equal(checkRequestSignature({ ...rsa, publicKey: new Uint8Array(8) }), other);
  assert.equal(
    checkRequestSignature({ ...rsa, algorithm: '1.2.3' }),
    'x509: cannot verify signature: algorithm unimplemented',
  );
});
