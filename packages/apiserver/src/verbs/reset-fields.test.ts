import assert from 'node:assert/strict';
import test from 'node:test';
import { pathsOf } from '@binnacle/machinery';
import { keepsMetadata, resetFields } from './reset-fields.ts';

// Provenance: GetResetFields of the strategies of v1.36's registries.
const ROWS: readonly (readonly [kind: string, subresource: string, paths: readonly string[]])[] = [
  ['apps/Deployment', '', ['.status']],
  ['apps/Deployment', 'status', ['.spec', '.metadata.labels']],
  ['apps/Deployment', 'scale', ['.status']],
  ['other.io/Deployment', 'status', ['.spec']],
  ['/Pod', '', ['.status']],
  ['/Pod', 'status', ['.spec', '.metadata.deletionTimestamp', '.metadata.ownerReferences']],
  ['/Pod', 'ephemeralcontainers', ['.status']],
  ['/Node', 'status', ['.spec']],
  ['/Namespace', 'finalize', ['.status']],
  ['networking.k8s.io/ServiceCIDR', 'status', ['.metadata', '.spec']],
  ['flowcontrol.apiserver.k8s.io/FlowSchema', 'status', ['.metadata', '.spec']],
  ['certificates.k8s.io/CertificateSigningRequest', '', ['.spec', '.status']],
  ['certificates.k8s.io/CertificateSigningRequest', 'status', ['.spec', '.status.conditions']],
  ['certificates.k8s.io/CertificateSigningRequest', 'approval', ['.spec', '.status.certificate']],
];
for (const [name, subresource, paths] of ROWS) {
  test(`what a write of ${name} ${subresource} leaves alone`, () => {
    const [group = '', kind = ''] = name.split('/');
    const reset = resetFields({ info: { group, kind }, subresource, hasStatus: true, isCustom: false });
    assert.deepEqual(pathsOf(reset), paths);
  });
}

test('kinds without a status, and custom ones', () => {
  const info = { group: 'd.io', kind: 'X' };
  assert.deepEqual(pathsOf(resetFields({ info, subresource: '', hasStatus: false, isCustom: true })), []);
  assert.deepEqual(pathsOf(resetFields({ info, subresource: 'status', hasStatus: true, isCustom: true })), [
    '.metadata',
    '.spec',
  ]);
  assert.equal(keepsMetadata({ info, hasStatus: true, isCustom: true }), true);
  assert.equal(keepsMetadata({ info, hasStatus: true, isCustom: false }), false);
  assert.equal(keepsMetadata({ info: { group: 'apps', kind: 'Deployment' }, hasStatus: true, isCustom: false }), false);
});
