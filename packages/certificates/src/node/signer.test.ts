import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { CertificateError } from '../errors.ts';
import { readRequest } from '../request.ts';
import { REQUESTS } from '../testing/requests.ts';
import { makeAuthority } from './issue.ts';
import { createRequestSigner } from './signer.ts';

const HOUR = 3_600_000;
const now = Math.floor(Date.now() / 1000) * 1000;
const authority = makeAuthority('kubernetes', { notBefore: now - HOUR, notAfter: now + HOUR });
const grant = { notBefore: now, notAfter: now + 9 * HOUR, usages: [], extendedUsages: ['clientAuth' as const] };

test('a certificate does not outlive the authority, and an authority that has ended signs nothing', () => {
  let time = now;
  const sign = createRequestSigner(authority, () => time);
  for (const pem of Object.values(REQUESTS)) {
    assert.equal(Date.parse(new X509Certificate(sign(readRequest(pem), grant)).validTo), now + HOUR);
  }
  time = now + HOUR;
  assert.throws(() => sign(readRequest(REQUESTS.ec), grant), CertificateError);
});

test('a key of somebody else is refused at the start', () => {
  const other = makeAuthority('kubernetes', { notBefore: now, notAfter: now + HOUR });
  assert.throws(
    () => createRequestSigner({ certificate: authority.certificate, key: other.key }, () => now),
    /not that of the signing key/,
  );
});
