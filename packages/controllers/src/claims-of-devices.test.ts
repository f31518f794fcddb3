import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod, PodResourceClaim } from '@binnacle/api/core/v1';
import { BY_DEVICE_CLAIM, claimKeyOf, needsClaims, PODS_BY_DEVICE_CLAIM } from './claims-of-devices.ts';

const byTemplate = (name: string): PodResourceClaim => ({ name, resourceClaimTemplateName: 't' });
const pod = (
  claims: readonly PodResourceClaim[],
  made: readonly { name: string; resourceClaimName?: string }[] = [],
): Pod => ({
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [], resourceClaims: claims },
  status: { resourceClaimStatuses: made },
});

for (const [name, claim, made, expected] of [
  ['named by the pod', { name: 'gpu', resourceClaimName: 'shared' }, [], 'ns/shared'],
  ['made from a template', byTemplate('gpu'), [{ name: 'gpu', resourceClaimName: 'p-gpu-x' }], 'ns/p-gpu-x'],
  ['of a template, not made yet', byTemplate('gpu'), [], undefined],
  ['of a template, another one is made', byTemplate('gpu'), [{ name: 'net', resourceClaimName: 'p-net-x' }], undefined],
  ['of a template, none is needed', byTemplate('gpu'), [{ name: 'gpu' }], undefined],
  ['called constructor', byTemplate('constructor'), [], undefined],
] as const)
  test(`the claim for devices: ${name}`, () => assert.equal(claimKeyOf(pod([claim], made), claim), expected));

test('pods are found by each of their claims that is there', () => {
  const claims = [byTemplate('a'), byTemplate('b'), { name: 'c', resourceClaimName: 'shared' }];
  const found = PODS_BY_DEVICE_CLAIM[BY_DEVICE_CLAIM]?.(pod(claims, [{ name: 'b', resourceClaimName: 'p-b' }]));
  assert.deepEqual(found, ['ns/p-b', 'ns/shared']);
});

const deletionTimestamp = '2026-01-01T00:00:00Z';
for (const [name, phase, going, nodeName, expected] of [
  ['not bound yet', 'Pending', false, '', true],
  ['running', 'Running', false, 'n', true],
  ['succeeded', 'Succeeded', false, 'n', false],
  ['failed', 'Failed', true, 'n', false],
  ['it goes from its node', 'Running', true, 'n', true],
  ['it goes and was never bound', 'Pending', true, '', false],
] as const)
  test(`a pod needs its claims: ${name}`, () => {
    const metadata = going ? { deletionTimestamp } : {};
    assert.equal(needsClaims({ metadata, spec: { containers: [], nodeName }, status: { phase } }), expected);
  });
test('a pod of which only the deletion is known needs none', () =>
  assert.equal(needsClaims({ metadata: { deletionTimestamp }, spec: { containers: [] } }), false));
