import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResourceQuota } from '@binnacle/api/core/v1';
import { StatusError } from '@binnacle/machinery';
import type { GuaranteedUpdate } from '../../ports/guaranteed-update.ts';
import { admissionOf } from '../../testing/admission.ts';
import type { AdmissionCase } from '../../testing/admission.ts';
import { MemoryCache } from '../../testing/memory-cache.ts';
import type { LimitedResource } from './limited-resource.ts';
import { createResourceQuota } from './resource-quota.ts';

const QUOTAS = { group: '', resource: 'resourcequotas' };
const clock = { now: () => 0 };

interface Given {
  readonly hard: { readonly [name: string]: string };
  readonly used?: { readonly [name: string]: string };
  readonly spec?: object;
  readonly limited?: readonly LimitedResource[];
  readonly dryRun?: boolean;
}

/** The message of the refusal, or what is used afterwards. */
async function outcome(
  given: AdmissionCase,
  { hard, used, spec = {}, limited, dryRun }: Given,
): Promise<object | string> {
  const cache = new MemoryCache();
  const quota = {
    metadata: { namespace: 'a', name: 'q' },
    spec,
    status: { hard, ...(used === undefined ? {} : { used }) },
  };
  cache.put(QUOTAS, quota as never);
  const update: GuaranteedUpdate = (_, change) => {
    const draft = structuredClone(cache.get(QUOTAS, 'a', 'q'));
    assert(draft !== undefined);
    change(draft);
    cache.put(QUOTAS, draft);
    return Promise.resolve(draft);
  };
  const plugin = createResourceQuota({ cache, clock, update }, limited);
  const attributes = { ...admissionOf(given), dryRun: dryRun ?? false };
  try {
    if (plugin.handles(attributes.operation, attributes.info, attributes.subresource))
      await plugin.validate?.(attributes);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.message;
  }
  return (cache.get(QUOTAS, 'a', 'q') as ResourceQuota | undefined)?.status?.used ?? {};
}

const metadata = { namespace: 'a', name: 'p' };
const podOf = (requests: object, more: object = {}): object => ({
  metadata: { ...metadata, resourceVersion: '1' },
  spec: { containers: [{ name: 'c', resources: { requests } }], ...more },
});
const create = (object: object, resource = 'pods'): AdmissionCase => ({ operation: 'CREATE', resource, object });
const highPriority = { priorityClassName: 'high' };
const priorityScope = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] } as const;

const ROWS: readonly (readonly [name: string, given: AdmissionCase, around: Given, outcome: object | string])[] = [
  [
    'what fits is charged, what is not limited is not counted',
    create(podOf({ cpu: '500m', memory: '1Gi' })),
    { hard: { pods: '2', cpu: '1' }, used: { pods: '1', cpu: '500m' } },
    { pods: '2', cpu: '1' },
  ],
  [
    'what does not fit',
    create(podOf({ cpu: '600m', memory: '1Gi' })),
    {
      hard: { pods: '2', cpu: '1', 'requests.memory': '2Gi' },
      used: { pods: '2', cpu: '500m', 'requests.memory': '1Gi' },
    },
    'pods "p" is forbidden: exceeded quota: q, requested: cpu=600m,pods=1, used: cpu=500m,pods=2, limited: cpu=1,pods=2',
  ],
  [
    'dry runs are checked',
    create(podOf({})),
    { hard: { pods: '0' }, used: { pods: '0' }, dryRun: true },
    'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
  ],
  [
    'dry runs cost nothing',
    create(podOf({})),
    { hard: { pods: '1' }, used: { pods: '0' }, dryRun: true },
    { pods: '0' },
  ],
  [
    'nobody has counted yet',
    create(podOf({})),
    { hard: { pods: '1' } },
    'pods "p" is forbidden: status unknown for quota: q, resources: pods',
  ],
  [
    'containers that do not say what they want',
    create({
      metadata,
      spec: {
        containers: [{ name: 'c' }, { name: 'b', resources: { limits: { cpu: '1' } } }],
        initContainers: [{ name: 'i' }],
      },
    }),
    { hard: { 'limits.cpu': '1', 'requests.memory': '1' }, used: { 'limits.cpu': '0', 'requests.memory': '0' } },
    'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c,i; requests.memory for: b,c,i',
  ],
  ['another kind', create({ metadata }, 'secrets'), { hard: { pods: '0' }, used: { pods: '0' } }, { pods: '0' }],
  [
    'a custom kind',
    create({ metadata }, 'widgets.example.com'),
    { hard: { 'count/widgets.example.com': '0' }, used: { 'count/widgets.example.com': '0' } },
    'widgets.example.com "p" is forbidden: exceeded quota: q, requested: count/widgets.example.com=1, used: count/widgets.example.com=0, limited: count/widgets.example.com=0',
  ],
  [
    'out of the scope',
    create(podOf({})),
    { hard: { pods: '0' }, used: { pods: '0' }, spec: { scopes: ['Terminating'] } },
    { pods: '0' },
  ],
  [
    'a pod that gets a deadline is counted as a whole where it comes to',
    {
      operation: 'UPDATE',
      resource: 'pods',
      object: podOf({ cpu: '1' }, { activeDeadlineSeconds: 5 }),
      before: podOf({ cpu: '1' }),
    },
    { hard: { pods: '5', cpu: '5' }, used: { pods: '1', cpu: '1' }, spec: { scopes: ['Terminating'] } },
    { pods: '2', cpu: '2' },
  ],
  [
    'a resize is charged by how much it grows',
    { operation: 'UPDATE', resource: 'pods/resize', object: podOf({ cpu: '3' }), before: podOf({ cpu: '1' }) },
    { hard: { pods: '1', cpu: '2' }, used: { pods: '1', cpu: '1' } },
    'pods "p" is forbidden: exceeded quota: q, requested: cpu=2, used: cpu=1, limited: cpu=2',
  ],
  [
    'a resize to less gives nothing back here',
    { operation: 'UPDATE', resource: 'pods/resize', object: podOf({ cpu: '1' }), before: podOf({ cpu: '3' }) },
    { hard: { cpu: '2' }, used: { cpu: '9' } },
    { cpu: '9' },
  ],
  [
    'a claim that grows',
    {
      operation: 'UPDATE',
      resource: 'persistentvolumeclaims',
      object: {
        metadata: { ...metadata, resourceVersion: '1' },
        spec: { resources: { requests: { storage: '3Gi' } } },
      },
      before: {
        metadata: { ...metadata, resourceVersion: '1' },
        spec: { resources: { requests: { storage: '1Gi' } } },
      },
    },
    { hard: { 'requests.storage': '10Gi' }, used: { 'requests.storage': '1Gi' } },
    { 'requests.storage': '3Gi' },
  ],
  [
    'limited by default, not covered',
    create(podOf({ cpu: '1' })),
    { hard: {}, limited: [{ apiGroup: '', resource: 'pods', matchContains: ['cpu'], matchScopes: [] }] },
    'pods "p" is forbidden: insufficient quota to consume: cpu,requests.cpu',
  ],
  [
    'limited by default, covered',
    create(podOf({ cpu: '1' })),
    {
      hard: { cpu: '2' },
      used: { cpu: '0' },
      limited: [{ apiGroup: '', resource: 'pods', matchContains: ['cpu'], matchScopes: [] }],
    },
    'pods "p" is forbidden: insufficient quota to consume: requests.cpu',
  ],
  [
    'a limited scope, not covered',
    create(podOf({}, highPriority)),
    { hard: {}, limited: [{ apiGroup: '', resource: 'pods', matchContains: [], matchScopes: [priorityScope] }] },
    'pods "p" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [high]}]',
  ],
  [
    'a limited scope, covered',
    create(podOf({}, highPriority)),
    {
      hard: { pods: '1' },
      used: { pods: '0' },
      spec: { scopeSelector: { matchExpressions: [priorityScope] } },
      limited: [{ apiGroup: '', resource: 'pods', matchContains: [], matchScopes: [priorityScope] }],
    },
    { pods: '1' },
  ],
];

test('claims for devices count towards the resource that these stand for; what the pod counts already is not counted twice', async () => {
  const DEVICE_CLASSES = { group: 'resource.k8s.io', resource: 'deviceclasses' };
  const CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims' };
  const cache = new MemoryCache();
  const hard = { 'requests.example.com/gpu': '3' };
  const quota = {
    metadata: { namespace: 'a', name: 'q' },
    status: { hard, used: { 'requests.example.com/gpu': '0' } },
  };
  cache.put(QUOTAS, quota as never);
  const update: GuaranteedUpdate = (_, change) => {
    const draft = structuredClone(cache.get(QUOTAS, 'a', 'q'));
    assert(draft !== undefined);
    change(draft);
    cache.put(QUOTAS, draft);
    return Promise.resolve(draft);
  };
  const plugin = createResourceQuota({ cache, clock, update });
  const used = (): unknown => (cache.get(QUOTAS, 'a', 'q') as ResourceQuota).status?.used;
  const claim = (name: string, more: object = {}): object => {
    const exactly = { deviceClassName: 'gpus', allocationMode: 'ExactCount', count: 2 };
    return { metadata: { namespace: 'a', name, ...more }, spec: { devices: { requests: [{ name: 'r', exactly }] } } };
  };
  const claims = 'resourceclaims.resource.k8s.io';
  const admit = async (given: object): Promise<void> =>
    plugin.validate?.({ ...admissionOf(create(given, claims)), dryRun: false });

  await admit(claim('before there is such a class'));
  assert.deepEqual(used(), { 'requests.example.com/gpu': '0' });
  const spec = { extendedResourceName: 'example.com/gpu' };
  cache.put(DEVICE_CLASSES, { metadata: { name: 'gpus' }, spec } as never);
  const pod = podOf({ 'example.com/gpu': '2' }) as { metadata: object };
  cache.put({ group: '', resource: 'pods' }, { ...pod, metadata: { ...pod.metadata, uid: 'u' } } as never);
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
  const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
  const made = { annotations, ownerReferences: [owner] };
  await admit(claim('of-p', made));
  assert.deepEqual(used(), { 'requests.example.com/gpu': '0' }, 'the pod counts');
  cache.put(CLAIMS, claim('of-p', { ...made, creationTimestamp: '2030-01-01T00:00:00Z' }) as never);
  await admit(claim('plain'));
  assert.deepEqual(used(), { 'requests.example.com/gpu': '2' });
  await assert.rejects(
    admit(claim('second-of-p', { ...made, creationTimestamp: '2030-01-01T00:00:01Z' })),
    /exceeded quota: q, requested: requests.example.com\/gpu=2, used: requests.example.com\/gpu=2/,
  );
});

describe('one request, one quota', () => {
  for (const [name, given, around, expected] of ROWS) {
    test(name, async () => assert.deepEqual(await outcome(given, around), expected));
  }
});
