import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from '../kinds.ts';

// Values: upstream pkg/apis/resource/v1/defaults.go.
const given = {
  devices: {
    requests: [
      { name: 'a', exactly: { deviceClassName: 'c', tolerations: [{ key: 'k' }] } },
      { name: 'b', firstAvailable: [{ name: 'x', deviceClassName: 'c', allocationMode: 'All' }] },
    ],
  },
};
const expected = {
  devices: {
    requests: [
      {
        name: 'a',
        exactly: {
          deviceClassName: 'c',
          allocationMode: 'ExactCount',
          count: 1,
          tolerations: [{ key: 'k', operator: 'Equal' }],
        },
      },
      { name: 'b', firstAvailable: [{ name: 'x', deviceClassName: 'c', allocationMode: 'All' }] },
    ],
  },
};

it('a claim asks for one device where it says nothing', () => {
  const claim = structuredClone({ metadata: {}, spec: given }) as unknown as KubeObject;
  kindRules('resource.k8s.io', 'ResourceClaim').defaults?.(claim);
  assert.deepEqual(claim, { metadata: {}, spec: expected });
  const template = structuredClone({ metadata: {}, spec: { spec: given } }) as unknown as KubeObject;
  kindRules('resource.k8s.io', 'ResourceClaimTemplate').defaults?.(template);
  assert.deepEqual(template, { metadata: {}, spec: { spec: expected } });
});
