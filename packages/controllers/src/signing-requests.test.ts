import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { CertificateRequest } from '@binnacle/certificates';
import { kubeletClientFault, kubeletServingFault } from './signing-requests.ts';

const empty = new Uint8Array();
const request = (more: Partial<CertificateRequest> = {}): CertificateRequest => ({
  organizations: ['system:nodes'],
  commonName: 'system:node:n1',
  subject: empty,
  alternativeNames: [],
  publicKey: empty,
  toBeSigned: empty,
  algorithm: '',
  signature: empty,
  ...more,
});
const named = (...tags: readonly number[]): Partial<CertificateRequest> => ({
  alternativeNames: tags.map((tag) => ({ tag, contents: empty })),
});
const client = ['digital signature', 'key encipherment', 'client auth'];
const serving = ['server auth', 'digital signature'];

for (const [name, more, usages, expected] of [
  ['as kubelets ask', {}, client, undefined],
  ['of a key that carries no session keys', {}, ['digital signature', 'client auth'], undefined],
  ['of two groups', { organizations: ['system:nodes', 'system:masters'] }, client, /organization/],
  ['with a host name', named(0x82), client, /^DNS subjectAltNames are not allowed$/],
  ['with an address', named(0x87), client, /^IP /],
  ['with a mail address', named(0x81), client, /^Email /],
  ['with a URI', named(0x86), client, /^URI /],
  ['of no node', { commonName: 'admin' }, client, /common name does not begin/],
  ['that serves too', {}, [...client, 'server auth'], /^usages did not match/],
] as const) {
  test(`a kubelet's client certificate: ${name}`, () => {
    const fault = kubeletClientFault(request(more), usages);
    if (expected === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? '', expected);
  });
}

for (const [name, more, usages, expected] of [
  ['with a host name', named(0x82), serving, undefined],
  ['with an address', named(0x87), serving, undefined],
  ['of no name', {}, serving, /^DNS or IP subjectAltName is required$/],
  ['with a mail address', named(0x82, 0x81), serving, /^Email /],
  ['with a URI', named(0x82, 0x86), serving, /^URI /],
  ['for clients', named(0x82), client, /^usages did not match/],
  ['of another group', { ...named(0x82), organizations: ['masters'] }, serving, /organization/],
  ['of no node', { ...named(0x82), commonName: 'n1' }, serving, /common name/],
] as const) {
  test(`a kubelet's serving certificate: ${name}`, () => {
    const fault = kubeletServingFault(request(more), usages);
    if (expected === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? '', expected);
  });
}
