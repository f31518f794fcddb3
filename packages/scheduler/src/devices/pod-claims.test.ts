import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { makeClaim } from '../testing/devices.ts';
import { makePod } from '../testing/objects.ts';
import { claimKeysOf, claimsOfPod } from './pod-claims.ts';

type Named = NonNullable<Pod['spec']['resourceClaims']>[number];
type Made = NonNullable<NonNullable<Pod['status']>['resourceClaimStatuses']>[number];

const pod = (named: Named, made?: Made): Pod => ({
  ...makePod('p', { resourceClaims: [named] }),
  status: made === undefined ? {} : { resourceClaimStatuses: [made] },
});
const BY_NAME: Named = { name: 'gpu', resourceClaimName: 'shared' };
const BY_TEMPLATE: Named = { name: 'gpu', resourceClaimTemplateName: 't' };
const MADE: Made = { name: 'gpu', resourceClaimName: 'p-gpu' };

const plain = (name: string, more: Partial<ResourceClaim['metadata']> = {}): ResourceClaim => {
  const claim = makeClaim(name, []);
  return { ...claim, metadata: { ...claim.metadata, ...more } };
};
const owner = (uid: string, controller = true) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller }],
});

const ROWS: readonly [name: string, pod: Pod, there: readonly ResourceClaim[], wanted: readonly string[] | string][] = [
  ['no claims', makePod('p'), [], []],
  ['a shared claim', pod(BY_NAME), [plain('shared')], ['shared']],
  ['a shared claim that is nobody’s yet', pod(BY_NAME), [], 'resourceclaim "shared" not found'],
  [
    'one that is going',
    pod(BY_NAME),
    [plain('shared', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    'resourceclaim "shared" is being deleted',
  ],
  ['made from a template', pod(BY_TEMPLATE, MADE), [plain('p-gpu', owner('pod-p'))], ['p-gpu']],
  ['not made yet', pod(BY_TEMPLATE), [], 'pod "default/p": ResourceClaim not created yet'],
  ['made, and gone again', pod(BY_TEMPLATE, MADE), [], 'resourceclaim "p-gpu" not found'],
  ['none was needed', pod(BY_TEMPLATE, { name: 'gpu' }), [], []],
  [
    'another name’s was made',
    pod(BY_TEMPLATE, { ...MADE, name: 'nic' }),
    [],
    'pod "default/p": ResourceClaim not created yet',
  ],
  [
    'made for a pod of the same name',
    pod(BY_TEMPLATE, MADE),
    [plain('p-gpu', owner('earlier'))],
    'ResourceClaim default/p-gpu was not created for pod default/p (pod is not owner)',
  ],
  [
    'of somebody who does not control it',
    pod(BY_TEMPLATE, MADE),
    [plain('p-gpu', owner('pod-p', false))],
    'ResourceClaim default/p-gpu was not created for pod default/p (pod is not owner)',
  ],
  [
    'neither name nor template',
    pod({ name: 'gpu' }),
    [],
    'pod "default/p", spec.resourceClaim "gpu": none of the supported fields are set',
  ],
];
for (const [name, asking, there, wanted] of ROWS)
  test(`the claims of a pod: ${name}`, () => {
    const found = claimsOfPod(asking, (key) => there.find(({ metadata }) => key === `default/${metadata.name}`));
    if ('obstacle' in found) assert.equal(found.obstacle, wanted);
    else
      assert.deepEqual(
        found.claims.map(({ metadata }) => metadata.name),
        wanted,
      );
  });

const KEYS: readonly [name: string, pod: Pod, wanted: readonly string[]][] = [
  ['no claims', makePod('p'), []],
  ['a shared claim', pod(BY_NAME), ['default/shared']],
  ['made from a template', pod(BY_TEMPLATE, MADE), ['default/p-gpu']],
  ['not made yet', pod(BY_TEMPLATE), []],
  ['none was needed', pod(BY_TEMPLATE, { name: 'gpu' }), []],
  ['another name’s was made', pod(BY_TEMPLATE, { ...MADE, name: 'nic' }), []],
];

for (const [name, asking, wanted] of KEYS) {
  test(`keys of claims: ${name}`, () => assert.deepEqual(claimKeysOf(asking), wanted));
}
