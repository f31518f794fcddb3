import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod, Volume } from '@binnacle/api/core/v1';
import { claimKeysOf, isMadeFor } from './claims-of-pods.ts';

const pod = (volumes?: readonly Volume[]): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [], ...(volumes === undefined ? {} : { volumes }) },
});
const of = (claimName: string): Volume => ({ name: 'v', persistentVolumeClaim: { claimName } });
const ephemeral = (name: string): Volume => ({ name, ephemeral: {} });

for (const [name, volumes, expected] of [
  ['no volumes', undefined, []],
  ['none of a claim', [{ name: 'e', emptyDir: {} }], []],
  ['named', [of('data')], ['ns/data']],
  ['made for the pod: by its name and the volume’s', [ephemeral('scratch')], ['ns/p-scratch']],
  [
    'both, in the pod’s order',
    [ephemeral('a'), { name: 'e', emptyDir: {} }, of('constructor')],
    ['ns/p-a', 'ns/constructor'],
  ],
] as const)
  test(`the claims of a pod: ${name}`, () => assert.deepEqual(claimKeysOf(pod(volumes)), expected));

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
for (const [name, namespace, owners, expected] of [
  ['its own', 'ns', [owner], true],
  ['of an earlier pod of its name', 'ns', [{ ...owner, uid: 'before' }], false],
  ['owned, not controlled', 'ns', [{ ...owner, controller: false }], false],
  ['nobody’s', 'ns', [], false],
  ['of another namespace', 'other', [owner], false],
] as const)
  test(`a claim was made for the pod: ${name}`, () => {
    const claim = { metadata: { name: 'p-v', namespace, ownerReferences: owners }, spec: {} };
    assert.equal(isMadeFor(claim, pod()), expected);
  });
