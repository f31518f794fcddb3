import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScopedResourceSelectorRequirement } from '../generated/core-v1.ts';
import { shownAmounts } from './amounts.ts';
import { ExtendedResourceClasses } from '../resource/extended-resources.ts';
import { isInQuotaScopes, quotaEvaluators } from './evaluators.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const NOW = Date.parse('2030-01-01T00:00:10Z');

const quotaEvaluatorOf = quotaEvaluators({
  ...{ classes: new ExtendedResourceClasses(() => []), pod: () => undefined, claimsForPod: () => [] },
});

function evaluatorOf(text: string): QuotaEvaluator {
  const [resource = '', ...group] = text.split('.');
  const found = quotaEvaluatorOf({ resource, group: group.join('.') });
  assert(found !== undefined);
  return found;
}

const container = (requests: object, limits: object = {}, more: object = {}): object => ({
  name: 'c',
  resources: { requests, limits },
  ...more,
});
const pod = (spec: object, more: object = {}): object => ({ metadata: {}, spec: { containers: [], ...spec }, ...more });
const sidecar = { name: 's', restartPolicy: 'Always' };
const ONE = 'count/pods=1,';

const USAGE: readonly (readonly [name: string, resource: string, object: object, used: string])[] = [
  ['an empty pod', 'pods', pod({ containers: [container({})] }), 'count/pods=1,pods=1'],
  [
    'requests and limits, under both names',
    'pods',
    pod({
      containers: [
        container({ cpu: '100m', memory: '1Gi', 'ephemeral-storage': '1Gi' }, { cpu: '1' }),
        container({ cpu: '1', memory: '1Gi' }, { memory: '2Gi', 'ephemeral-storage': '3Gi' }),
      ],
    }),
    `${ONE}cpu=1100m,ephemeral-storage=1Gi,limits.cpu=1,limits.ephemeral-storage=3Gi,limits.memory=2Gi,memory=2Gi,pods=1,requests.cpu=1100m,requests.ephemeral-storage=1Gi,requests.memory=2Gi`,
  ],
  [
    'huge pages and what vendors have',
    'pods',
    pod({ containers: [container({ 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2', 'kubernetes.io/x': '1' })] }),
    `${ONE}hugepages-2Mi=4Mi,pods=1,requests.example.com/gpu=2,requests.hugepages-2Mi=4Mi`,
  ],
  [
    'init containers: the hungriest beside the sidecars before it',
    'pods',
    pod({
      containers: [container({ cpu: '1' })],
      initContainers: [
        container({ cpu: '2' }),
        container({ cpu: '500m' }, {}, sidecar),
        container({ cpu: '1600m' }, {}, { name: 'i' }),
      ],
    }),
    `${ONE}cpu=2100m,pods=1,requests.cpu=2100m`,
  ],
  [
    'requests of the pod as a whole, and its overhead',
    'pods',
    pod({
      containers: [container({ cpu: '1' }, { cpu: '2' })],
      resources: { requests: { cpu: '3' } },
      overhead: { cpu: '100m', memory: '1Mi' },
    }),
    `${ONE}cpu=3100m,limits.cpu=2100m,memory=1Mi,pods=1,requests.cpu=3100m,requests.memory=1Mi`,
  ],
  [
    'a resize under way: the most of asked, given and used',
    'pods',
    pod(
      { containers: [container({ cpu: '1' }, { cpu: '1' })] },
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              resources: { requests: { cpu: '2' }, limits: { cpu: '4' } },
              allocatedResources: { cpu: '3' },
            },
          ],
        },
      },
    ),
    `${ONE}cpu=3,limits.cpu=4,pods=1,requests.cpu=3`,
  ],
  [
    'a resize that cannot be: what is given and used',
    'pods',
    pod(
      { containers: [container({ cpu: '9' })] },
      {
        status: {
          conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }],
          containerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '1' } }],
        },
      },
    ),
    `${ONE}cpu=2,pods=1,requests.cpu=2`,
  ],
  [
    'a pod that ended',
    'pods',
    pod({ containers: [container({ cpu: '1' })] }, { status: { phase: 'Failed' } }),
    'count/pods=1',
  ],
  [
    'a pod that should be gone',
    'pods',
    pod({}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 9 } }),
    'count/pods=1',
  ],
  [
    'a pod that may still run',
    'pods',
    pod({}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 10 } }),
    'count/pods=1,pods=1',
  ],
  ...(
    [
      ['ClusterIP', {}, '0', '0'],
      ['NodePort', {}, '0', '2'],
      ['LoadBalancer', {}, '1', '2'],
      ['LoadBalancer', { allocateLoadBalancerNodePorts: false }, '1', '1'],
    ] as const
  ).map(([type, more, balancers, ports]) => {
    const spec = { type, ports: [{ nodePort: 30_000 }, { nodePort: 0 }], ...more };
    return [
      `a Service of type ${type} ${JSON.stringify(more)}`,
      'services',
      { metadata: {}, spec },
      `count/services=1,services.loadbalancers=${balancers},services.nodeports=${ports},services=1`,
    ] as const;
  }),
  [
    'a claim, in whole bytes, of a class',
    'persistentvolumeclaims',
    { metadata: {}, spec: { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } } },
    'count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/requests.storage=2,persistentvolumeclaims=1,requests.storage=2',
  ],
  [
    'a claim whose expansion took more',
    'persistentvolumeclaims',
    {
      metadata: {},
      spec: { resources: { requests: { storage: '1Gi' } } },
      status: { allocatedResources: { storage: '2Gi' } },
    },
    'count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=2Gi',
  ],
  [
    'devices: of alternatives the most of each class',
    'resourceclaims.resource.k8s.io',
    {
      metadata: {},
      spec: {
        devices: {
          requests: [
            { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
            {
              name: 'b',
              firstAvailable: [
                { name: 'x', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 },
                { name: 'y', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
                { name: 'z', deviceClassName: 'nic', allocationMode: 'All' },
              ],
            },
          ],
        },
      },
    },
    'count/resourceclaims.resource.k8s.io=1,gpu.deviceclass.resource.k8s.io/devices=5,nic.deviceclass.resource.k8s.io/devices=32,requests.deviceclass.resource.kubernetes.io/gpu=5,requests.deviceclass.resource.kubernetes.io/nic=32',
  ],
  ['a Secret, by both its names', 'secrets', { metadata: {} }, 'count/secrets=1,secrets=1'],
  ['a custom kind', 'widgets.example.com', { metadata: {} }, 'count/widgets.example.com=1'],
];

describe('what objects use', () => {
  for (const [name, resource, object, used] of USAGE) {
    test(name, () => assert.equal(shownAmounts(evaluatorOf(resource).usage(object as never, NOW)), used));
  }
  test('events are not counted', () => {
    assert.equal(quotaEvaluatorOf({ group: '', resource: 'events' }), undefined);
    assert.equal(quotaEvaluatorOf({ group: 'events.k8s.io', resource: 'events' }), undefined);
  });
});

const COUNTED: readonly (readonly [resource: string, name: string, counts: boolean])[] = [
  ['pods', 'requests.cpu', true],
  ['pods', 'hugepages-2Mi', true],
  ['pods', 'requests.hugepages-2Mi', true],
  ['pods', 'requests.example.com/gpu', true],
  ['pods', 'requests.deviceclass.resource.kubernetes.io/gpu', true],
  ['pods', 'example.com/gpu', false],
  ['pods', 'requests.storage', false],
  ['pods', 'services', false],
  ['persistentvolumeclaims', 'x.storageclass.storage.k8s.io/requests.storage', true],
  ['persistentvolumeclaims', 'x.storageclass.storage.k8s.io/other', false],
  ['constructor', 'count/constructor', true],
];

describe('which amounts a kind counts towards', () => {
  for (const [resource, name, counts] of COUNTED) {
    test(`${resource}: ${name}`, () => assert.equal(evaluatorOf(resource).counts(name), counts));
  }
});

type Selector = Pick<ScopedResourceSelectorRequirement, 'scopeName' | 'operator'> & { readonly values?: string[] };

const exists = (scopeName: Selector['scopeName']): Selector => ({ scopeName, operator: 'Exists' });
const near = (term: object): object => ({
  affinity: {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
  },
});

const SCOPES: readonly (readonly [name: string, resource: string, object: object, selector: Selector, is: boolean])[] =
  [
    ['with a deadline', 'pods', pod({ activeDeadlineSeconds: 0 }), exists('Terminating'), true],
    ['without a deadline', 'pods', pod({}), exists('NotTerminating'), true],
    ['best effort', 'pods', pod({ containers: [container({})] }), exists('BestEffort'), true],
    ['burstable', 'pods', pod({ containers: [container({ cpu: '1' })] }), exists('BestEffort'), false],
    ['not best effort', 'pods', pod({ containers: [container({ cpu: '1' })] }), exists('NotBestEffort'), true],
    ['any priority class', 'pods', pod({ priorityClassName: 'high' }), exists('PriorityClass'), true],
    ['no priority class', 'pods', pod({}), exists('PriorityClass'), false],
    ...(
      [
        ['In', 'high', true],
        ['In', 'low', false],
        ['NotIn', 'low', true],
      ] as const
    ).map(([operator, value, is]) => {
      const selector: Selector = { scopeName: 'PriorityClass', operator, values: [value] };
      return [`${operator} ${value}`, 'pods', pod({ priorityClassName: 'high' }), selector, is] as const;
    }),
    ['no class, none wanted', 'pods', pod({}), { scopeName: 'PriorityClass', operator: 'DoesNotExist' }, true],
    ['affinity abroad', 'pods', pod(near({ namespaceSelector: {} })), exists('CrossNamespacePodAffinity'), true],
    ['affinity at home', 'pods', pod(near({ namespaces: [] })), exists('CrossNamespacePodAffinity'), false],
    [
      'a claim on its way to a class',
      'persistentvolumeclaims',
      { metadata: {}, spec: {}, status: { modifyVolumeStatus: { targetVolumeAttributesClassName: 'fast' } } },
      { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] },
      true,
    ],
    ['claims are in no scope of pods', 'persistentvolumeclaims', { metadata: {} }, exists('NotTerminating'), false],
    ['Services are in no scope', 'services', { metadata: {} }, exists('NotTerminating'), false],
  ];

describe('scopes', () => {
  for (const [name, resource, object, selector, is] of SCOPES) {
    test(name, () => {
      const quota = { metadata: {}, spec: { scopeSelector: { matchExpressions: [selector] } } };
      assert.equal(isInQuotaScopes(evaluatorOf(resource), quota as never, object as never), is);
    });
  }
});
