import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import type { CertificateRequest } from '@binnacle/certificates';
import { grantFor, isDue, signingFault } from './decide.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const request = (
  spec: Partial<CertificateSigningRequest['spec']> = {},
  types: readonly string[] = ['Approved'],
  certificate?: string,
): CertificateSigningRequest => ({
  metadata: { name: 'r' },
  spec: { request: '', signerName: CLIENT, usages: ['client auth'], ...spec },
  status: {
    conditions: types.map((type) => ({ type, status: 'True' as const })),
    ...(certificate === undefined ? {} : { certificate }),
  },
});

for (const [name, of, expected] of [
  ['approved', request(), true],
  ['not judged', request({}, []), false],
  ['denied', request({}, ['Denied']), false],
  ['failed', request({}, ['Approved', 'Failed']), false],
  ['signed', request({}, ['Approved'], 'x'), false],
  ['for somebody else', request({ signerName: 'example.com/signer' }), false],
] as const) {
  test(`a request is ours to sign: ${name}`, () => assert.equal(isDue(of), expected));
}

for (const [name, asked, expected] of [
  ['the longest where nothing is said', undefined, 24 * HOUR - 300_000],
  ['not longer than the longest', 999 * 3600, 24 * HOUR - 300_000],
  ['ten minutes at least', 60, 600_000],
  ['a short life is not cut', 3600, HOUR],
] as const) {
  test(`how long a certificate lives: ${name}`, () => {
    const of = request(asked === undefined ? {} : { expirationSeconds: asked });
    const { notBefore, notAfter } = grantFor(of, { nowMs: NOW, longestMs: 24 * HOUR });
    assert.deepEqual([notBefore - NOW, notAfter - NOW], [-300_000, expected]);
  });
}

test('usages by their names, each once', () => {
  const usages = ['signing', 'digital signature', 's/mime', 'email protection', 'constructor'] as never;
  const grant = grantFor(request({ usages }), { nowMs: NOW, longestMs: HOUR });
  assert.deepEqual([grant.usages, grant.extendedUsages], [['digitalSignature'], ['emailProtection']]);
});

const nobody = { organizations: [], commonName: 'x', alternativeNames: [] } as unknown as CertificateRequest;
for (const [name, spec, expected] of [
  ['a client', { usages: ['client auth', 'key encipherment'] }, undefined],
  [
    'a client that serves',
    { usages: ['client auth', 'server auth'] },
    'invalid usage for client certificate: server auth',
  ],
  [
    'a client of nothing',
    { usages: ['digital signature'] },
    'missing required usage for client certificate: client auth',
  ],
  ['a kubelet that is none', { signerName: `${CLIENT}-kubelet` }, 'subject organization is not system:nodes'],
  [
    'a kubelet that serves and is none',
    { signerName: 'kubernetes.io/kubelet-serving' },
    'subject organization is not system:nodes',
  ],
  ['whatever the legacy signer is asked', { signerName: 'kubernetes.io/legacy-unknown', usages: ['any'] }, undefined],
] as const) {
  test(`a signer looks at: ${name}`, () => assert.equal(signingFault(request(spec), nobody), expected));
}
