import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { countClaims, FOR_CLAIM } from './figures.ts';

function claim(annotations: { readonly [key: string]: string }, more: Partial<ResourceClaim> = {}): ResourceClaim {
  return { metadata: { name: 'c', annotations }, spec: { devices: { requests: [] } }, ...more };
}

test('claims are counted by their devices, their rights and what they were made from', () => {
  const exactly = { deviceClassName: 'gpu', adminAccess: true };
  const admin = { devices: { requests: [{ name: 'r', exactly }] } };
  const claims = [
    claim({}),
    claim({ [FOR_CLAIM]: 'gpu' }),
    claim({ [FOR_CLAIM]: 'gpu' }, { status: { allocation: {} } }),
    claim({ 'resource.kubernetes.io/extended-resource-claim': 'true' }),
    claim({}, { spec: admin }),
    claim({}),
  ];
  assert.deepEqual(
    [...countClaims(claims).values()].map(({ values, count }) => [...values, count]),
    [
      ['false', 'false', '', 2],
      ['false', 'false', 'resource_claim_template', 1],
      ['true', 'false', 'resource_claim_template', 1],
      ['false', 'false', 'extended_resource', 1],
      ['false', 'true', '', 1],
    ],
  );
});
