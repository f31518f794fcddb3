/** Claims of devices count towards the extended resources that these stand for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../generated/core-v1.ts';
import type { DeviceClass, ResourceClaim } from '../generated/resource-v1.ts';
import { EXTENDED_RESOURCE_CLAIM, ExtendedResourceClasses } from '../resource/extended-resources.ts';
import { shownAmounts } from './amounts.ts';
import { deviceClaimEvaluator } from './device-claim-evaluator.ts';
import { claimableIn } from './pod-evaluator.ts';

const classNamed = (name: string, extendedResourceName?: string): DeviceClass => ({
  metadata: { name },
  spec: extendedResourceName === undefined ? {} : { extendedResourceName },
});
const CLASSES = [classNamed('gpu', 'example.com/gpu'), classNamed('nic')];

function claim(count: number, more: Partial<ResourceClaim['metadata']> = {}, className = 'gpu'): ResourceClaim {
  return {
    metadata: { namespace: 'a', name: 'c', creationTimestamp: '2030-01-01T00:00:01Z', ...more },
    spec: {
      devices: {
        requests: [{ name: 'r', exactly: { deviceClassName: className, allocationMode: 'ExactCount', count } }],
      },
    },
  };
}

const POD: Pod = {
  metadata: { namespace: 'a', name: 'p', uid: 'u' },
  spec: { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '2' } } }] },
};
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
const FOR_POD = { annotations: { [EXTENDED_RESOURCE_CLAIM]: 'true' }, ownerReferences: [owner] };
const telling = (resourceClaimName: string): Pod => ({
  ...POD,
  status: { extendedResourceClaimStatus: { resourceClaimName, requestMappings: [] } },
});

const COUNT = 'count/resourceclaims.resource.k8s.io=1';
const used = (devices: number, resource: number): string =>
  [
    COUNT,
    `gpu.deviceclass.resource.k8s.io/devices=${devices}`,
    `requests.deviceclass.resource.kubernetes.io/gpu=${devices}`,
    ...(resource === 0 ? [] : [`requests.example.com/gpu=${resource}`]),
  ].join();

const ROWS: readonly (readonly [
  name: string,
  claim: ResourceClaim,
  wanted: string,
  known?: { readonly pod?: Pod; readonly others?: readonly ResourceClaim[] },
])[] = [
  ["somebody's own", claim(3), used(3, 3)],
  [
    'of a class that stands for no other resource',
    claim(1, {}, 'nic'),
    `${COUNT},nic.deviceclass.resource.k8s.io/devices=1,requests.deviceclass.resource.kubernetes.io/nic=1`,
  ],
  ['made for a pod, which counts as much', claim(2, FOR_POD), used(2, 0), { pod: POD }],
  ['made for a pod, for more than that counts', claim(5, FOR_POD), used(5, 3), { pod: POD }],
  ['made for a pod that has it', claim(2, FOR_POD), used(2, 0), { pod: telling('c') }],
  ['made for a pod that has another', claim(2, FOR_POD), used(2, 2), { pod: telling('d') }],
  ['made for a pod that is gone', claim(2, FOR_POD), used(2, 2)],
  [
    'made for an earlier pod of the name',
    claim(2, FOR_POD),
    used(2, 2),
    { pod: { ...POD, metadata: { ...POD.metadata, uid: 'u2' } } },
  ],
  ['that only says it is made for one', claim(2, { ownerReferences: [owner] }), used(2, 2), { pod: POD }],
  [
    'whose owner only is called like a pod',
    claim(2, { ...FOR_POD, ownerReferences: [{ ...owner, kind: 'Podlike' }] }),
    used(2, 2),
    { pod: POD },
  ],
  [
    'the second one for a pod',
    claim(2, FOR_POD),
    used(2, 2),
    { pod: POD, others: [claim(2, { ...FOR_POD, name: 'z', creationTimestamp: '2030-01-01T00:00:00Z' })] },
  ],
  [
    'the second one by its name',
    claim(2, FOR_POD),
    used(2, 2),
    { pod: POD, others: [claim(2, { ...FOR_POD, name: 'b' })] },
  ],
  [
    'the first one of two',
    claim(2, FOR_POD),
    used(2, 0),
    { pod: POD, others: [claim(2, FOR_POD), claim(2, { ...FOR_POD, name: 'd' })] },
  ],
];
for (const [name, one, wanted, { pod, others = [] } = {}] of ROWS)
  test(`a claim ${name}`, () => {
    const evaluator = deviceClaimEvaluator({
      classes: new ExtendedResourceClasses(() => CLASSES),
      pod: (namespace, podName) => (namespace === 'a' && podName === 'p' ? pod : undefined),
      claimsForPod: () => others,
    });
    assert.equal(shownAmounts(evaluator.usage(one, 0)), wanted);
  });

for (const [name, counts] of [
  ['requests.example.com/gpu', true],
  ['requests.deviceclass.resource.kubernetes.io/gpu', true],
  ['requests.deviceclass.resource.kubernetes.io/nic', true],
  ['requests.deviceclass.resource.kubernetes.io/none', false],
  ['requests.example.com/nic', false],
  ['requests.cpu', false],
  ['example.com/gpu', false],
] as const)
  test(`claims ${counts ? 'count' : 'do not count'} towards ${name}`, () => {
    const classes = new ExtendedResourceClasses(() => CLASSES);
    const evaluator = deviceClaimEvaluator({ classes, pod: () => undefined, claimsForPod: () => [] });
    assert.equal(evaluator.counts(name), counts);
  });

for (const [name, resource] of [
  ['requests.example.com/gpu', 'example.com/gpu'],
  ['requests.deviceclass.resource.kubernetes.io/gpu', 'deviceclass.resource.kubernetes.io/gpu'],
  ['requests.kubernetes.io/own', undefined],
  ['requests.cpu', undefined],
  ['limits.example.com/gpu', undefined],
  ['example.com/gpu', undefined],
] as const)
  test(`devices that a quota of ${name} is about`, () => assert.equal(claimableIn(name), resource));
