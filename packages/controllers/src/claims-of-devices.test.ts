import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { claimKeyOf, claimKeysOf, hasDeviceClaims, needsClaims } from './claims-of-devices.ts';

const podOf = (spec: object, status?: object): Pod =>
  ({ metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [], ...spec }, status }) as unknown as Pod;
const extended = { extendedResourceClaimStatus: { resourceClaimName: 'p-extended', requestMappings: [] } };
const DECLARED = {
  resourceClaims: [
    { name: 'a', resourceClaimName: 'there' },
    { name: 'b', resourceClaimTemplateName: 't' },
    { name: 'c', resourceClaimTemplateName: 't' },
  ],
};

for (const [name, pod, keys, has] of [
  ['none', podOf({}), [], false],
  [
    'those that are named, and those that were made',
    podOf(DECLARED, { resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'p-b' }] }),
    ['ns/there', 'ns/p-b'],
    true,
  ],
  ['one that nobody needs', podOf(DECLARED, { resourceClaimStatuses: [{ name: 'b' }] }), ['ns/there'], true],
  [
    'one that is still to be made',
    podOf({ resourceClaims: [{ name: 'b', resourceClaimTemplateName: 't' }] }),
    [],
    true,
  ],
  ['the one for its extended resources', podOf({}, extended), ['ns/p-extended'], true],
  ['all of them', podOf(DECLARED, extended), ['ns/there', 'ns/p-extended'], true],
] as const)
  test(`claims for devices of a pod: ${name}`, () => {
    assert.deepEqual([claimKeysOf(pod), hasDeviceClaims(pod)], [keys, has]);
  });

test('the claim of one that a pod declares: the one that it names, else the one that was made', () => {
  const made = podOf({}, { resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'made' }] });
  assert.equal(claimKeyOf(made, { name: 'a', resourceClaimName: 'named' }), 'ns/named');
  assert.equal(claimKeyOf(made, { name: 'a' }), 'ns/made');
  assert.equal(claimKeyOf(made, { name: 'b' }), undefined);
});

for (const [name, pod, needs] of [
  ['it runs, or will', podOf({}), true],
  ['it has ended', podOf({}, { phase: 'Succeeded' }), false],
  [
    'it goes, and never had a node',
    { ...podOf({}), metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    false,
  ],
  [
    'it goes, and may still run',
    { ...podOf({ nodeName: 'n' }), metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    true,
  ],
] as const)
  test(`a pod needs its claims: ${name}`, () => assert.equal(needsClaims(pod), needs));
