import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import type { CertificateRequest } from '@binnacle/certificates';
import { isOpen, recognize } from './decide.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const contents = {
  organizations: ['system:nodes'],
  commonName: 'system:node:n1',
  alternativeNames: [],
} as unknown as CertificateRequest;
const request = (
  spec: Partial<CertificateSigningRequest['spec']> = {},
  status: CertificateSigningRequest['status'] = {},
): CertificateSigningRequest => ({
  metadata: { name: 'r' },
  spec: { request: '', signerName: SIGNER, usages: ['digital signature', 'client auth'], ...spec },
  status,
});
const condition = (type: string) => ({ conditions: [{ type, status: 'True' as const }] });

for (const [name, of, expected] of [
  ['new', request(), true],
  ['for another signer', request({ signerName: 'kubernetes.io/kubelet-serving' }), false],
  ['approved', request({}, condition('Approved')), false],
  ['denied', request({}, condition('Denied')), false],
  ['signed', request({}, { certificate: 'x' }), false],
] as const) {
  test(`a request is open: ${name}`, () => assert.equal(isOpen(of), expected));
}

for (const [name, spec, expected] of [
  ['a node’s own', { username: 'system:node:n1' }, ['selfnodeclient', 'nodeclient']],
  ['of another', { username: 'system:bootstrap:abcdef' }, ['nodeclient']],
  ['no kubelet’s', { usages: ['server auth'] }, []],
] as const) {
  test(`a request is recognized: ${name}`, () => {
    assert.deepEqual(
      recognize(request(spec), contents).map(({ subresource }) => subresource),
      expected,
    );
  });
}
