import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { DEVICE_CLASSES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { AllocationResult, ResourceClaim } from '@binnacle/api/resource/v1';
import { makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const POD = makePod('p', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }] });

const on = (node: string): AllocationResult => ({
  devices: { results: [{ request: 'r', driver: 'd.example.org', pool: node, device: 'g' }] },
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] },
});

/** Nodes a, b, c; the last two have a device each. */
function scene(...claims: readonly ResourceClaim[]): Scene {
  const made = new Scene().nodes(makeNode('a'), makeNode('b'), makeNode('c')).object(DEVICE_CLASSES, makeClass('any'));
  for (const node of ['b', 'c']) made.object(RESOURCE_SLICES, makeSlice(node, [{ name: 'g' }]));
  for (const claim of claims) made.object(RESOURCE_CLAIMS, claim);
  return made;
}

const OPEN = makeClaim('c', [request('r')]);

for (const [name, claim, pod, message] of [
  ['no claim', undefined, POD, 'resourceclaim "c" not found'],
  [
    'a template whose claim is not there yet',
    undefined,
    makePod('p', { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] }),
    'pod "default/p": ResourceClaim not created yet',
  ],
  [
    'a claim of another pod by the name',
    OPEN,
    {
      ...makePod('p', { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] }),
      status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'c' }] },
    },
    'ResourceClaim default/c was not created for pod default/p (pod is not owner)',
  ],
  [
    'a claim that goes',
    { ...OPEN, metadata: { ...OPEN.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    POD,
    'resourceclaim "c" is being deleted',
  ],
  [
    'no such class',
    makeClaim('c', [request('r', { deviceClassName: 'nope' })]),
    POD,
    'request r: device class nope does not exist',
  ],
  [
    'a claim that is full',
    makeClaim('c', [request('r')], {
      status: {
        allocation: on('b'),
        reservedFor: Array.from({ length: 256 }, (_, i) => ({ resource: 'pods', name: `x${i}`, uid: `x${i}` })),
      },
    }),
    POD,
    'resourceclaim in use',
  ],
  ['too much', makeClaim('c', [request('r', { count: 2 })]), POD, 'cannot allocate all claims'],
  [
    'a selector that fails',
    makeClaim('c', [request('r', { selectors: [{ cel: { expression: 'device.attributes["x"].y' } }] })]),
    POD,
    'claim default/c: selector #0: CEL runtime error: no such key: y',
  ],
] as readonly (readonly [string, ResourceClaim | undefined, Pod, string])[]) {
  test(`a pod with claims waits: ${name}`, () => {
    const outcome = scene(...(claim === undefined ? [] : [claim])).decide(pod);
    assert.ok(outcome.message?.includes(message), outcome.message);
    assert.deepEqual(outcome.refusedBy, ['DynamicResources']);
  });
}

test('a pod goes where a device is, and the next one where another is', () => {
  const made = scene(OPEN, makeClaim('d', [request('r')]), makeClaim('e', [request('r')]));
  const nodes = ['c', 'd', 'e'].map((claim) => {
    const pod = makePod(`p-${claim}`, { resourceClaims: [{ name: 'gpu', resourceClaimName: claim }] });
    const demand = made.demand(pod);
    const { node } = made.decide(demand);
    if (node !== undefined)
      assert.equal(made.plugins.byName.get('DynamicResources')?.reserve?.(demand, node), undefined);
    return node;
  });
  assert.deepEqual(nodes.toSorted(), ['b', 'c', undefined]);
});

test('what is promised to one pod is free again when it does not go there', () => {
  const made = scene(OPEN);
  const plugin = made.plugins.byName.get('DynamicResources');
  const demand = made.demand(POD);
  assert.equal(plugin?.reserve?.(demand, 'b'), undefined);
  assert.match(made.decide(POD).message ?? '', /resource claim default\/c is in the process of being allocated/);
  plugin?.unreserve?.(demand, 'b');
  assert.notEqual(made.decide(POD).node, undefined);
  assert.equal(plugin?.reserve?.(demand, 'a')?.reasons[0], 'cannot allocate all claims');
});

test('a claim that has its device takes its pods there', () => {
  const others = [{ resource: 'pods', name: 'x', uid: 'x' }];
  const shared = makeClaim('c', [request('r')], { status: { allocation: on('c'), reservedFor: others } });
  assert.equal(scene(shared).decide(POD).node, 'c');
});

test('the node where the better way works is the better one', () => {
  const made = scene(
    makeClaim('c', [
      {
        name: 'r',
        firstAvailable: [
          { name: 'best', deviceClassName: 'fast' },
          { name: 'good', deviceClassName: 'any' },
        ],
      },
    ]),
  );
  made.object(DEVICE_CLASSES, makeClass('fast', 'device.attributes["d.example.org"].fast'));
  for (const [node, fast] of [
    ['b', false],
    ['c', true],
  ] as const) {
    made.object(RESOURCE_SLICES, makeSlice(node, [{ name: 'g', attributes: { fast: { bool: fast } } }]));
  }
  assert.equal(made.decide(POD).node, 'c');
});

for (const [name, reservedFor, expected] of [
  ['nobody else has it', [], 'deallocation of ResourceClaim completed'],
  ['another pod has it', [{ resource: 'pods', name: 'x', uid: 'x' }], 'no new claims to deallocate'],
] as const) {
  test(`a claim whose device is out of reach is let go: ${name}`, async () => {
    const claim = makeClaim('c', [request('r')], { status: { allocation: on('gone'), reservedFor } });
    const made = scene();
    made.object(RESOURCE_CLAIMS, made.wire.seed(RESOURCE_CLAIMS, claim));
    const demand = made.demand(POD);
    const { decision } = made.decide(demand);
    assert.equal(decision.kind, 'unplaced');
    if (decision.kind !== 'unplaced') return;
    const found = made.plugins.byName.get('DynamicResources')?.postFilter?.(demand, made.state, decision.failure);
    assert.deepEqual(await found, { message: expected });
    assert.equal(made.wire.objects(RESOURCE_CLAIMS)[0]?.status?.allocation === undefined, reservedFor.length === 0);
  });
}

test('what is decided is written into the claim: its device, its pod, the finalizer that keeps it', async () => {
  const claim = makeClaim('c', [request('r')], {
    config: [{ opaque: { driver: 'd.example.org', parameters: { mode: 'x' } } }],
  });
  const made = scene();
  const seeded = made.wire.seed(RESOURCE_CLAIMS, claim);
  made.object(RESOURCE_CLAIMS, seeded);
  const plugin = made.plugins.byName.get('DynamicResources');
  const demand = made.demand(POD);
  assert.equal(plugin?.reserve?.(demand, 'b'), undefined);
  await plugin?.preBind?.(demand, 'b', {});
  const written = made.wire.objects(RESOURCE_CLAIMS)[0];
  assert.deepEqual(written?.metadata.finalizers, ['resource.kubernetes.io/delete-protection']);
  const { allocationTimestamp, ...allocation } = written?.status?.allocation ?? {};
  assert.ok(allocationTimestamp !== undefined);
  assert.deepEqual(allocation, {
    devices: {
      results: [{ request: 'r', driver: 'd.example.org', pool: 'b', device: 'g' }],
      config: [{ source: 'FromClaim', opaque: { driver: 'd.example.org', parameters: { mode: 'x' } } }],
    },
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }] },
  });
  assert.deepEqual(written?.status?.reservedFor, [{ resource: 'pods', name: 'p', uid: 'pod-p' }]);
});

const GPUS = makePod('p', { resources: { 'example.com/gpu': '1' } });
const GPU_CLASS = { ...makeClass('gpus'), spec: { extendedResourceName: 'example.com/gpu' } };

for (const [name, pod, message] of [
  ['nothing stands for it', makePod('p', { resources: { 'example.com/tpu': '1' } }), 'Insufficient example.com/tpu'],
  ['too much of it', makePod('p', { resources: { 'example.com/gpu': '2' } }), 'cannot allocate all claims'],
  [
    'its claim from an earlier try is still there',
    GPUS,
    'cannot schedule extended resource claim. deletion of ResourceClaim completed',
  ],
] as const)
  test(`a pod with extended resources waits: ${name}`, async () => {
    const made = scene();
    made.object(DEVICE_CLASSES, GPU_CLASS);
    if (pod === GPUS) {
      const { uid } = pod.metadata;
      const stale = {
        ...makeClaim('stale', [request('container-0-request-0')]),
        metadata: {
          name: 'stale',
          namespace: 'default',
          finalizers: ['resource.kubernetes.io/delete-protection'],
          annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: uid ?? '', controller: true }],
        },
      };
      made.object(RESOURCE_CLAIMS, made.wire.seed(RESOURCE_CLAIMS, stale));
    }
    const demand = made.demand(pod);
    const outcome = made.decide(demand);
    const { decision } = outcome;
    assert.equal(decision.kind, 'unplaced');
    if (decision.kind !== 'unplaced') return;
    const plugin = made.plugins.byName.get('DynamicResources');
    const found = await plugin?.postFilter?.(demand, made.state, decision.failure);
    assert.ok(`${outcome.message ?? ''} ${found?.message ?? ''}`.includes(message), outcome.message);
    assert.deepEqual(made.wire.objects(RESOURCE_CLAIMS), []);
  });

test('where a node offers the resource itself the pod has it from there; where none does, devices stand for it', async () => {
  const made = scene();
  made.object(DEVICE_CLASSES, GPU_CLASS);
  const seeded = made.wire.seed(PODS, GPUS);
  const plugin = made.plugins.byName.get('DynamicResources');
  const demand = made.demand(seeded);
  made.nodes(makeNode('a', { resources: { 'example.com/gpu': '1' } }));
  assert.equal(plugin?.reserve?.(demand, 'a'), undefined);
  await plugin?.preBind?.(demand, 'a', {});
  assert.deepEqual(made.wire.objects(RESOURCE_CLAIMS), []);
  assert.equal(made.wire.objects(PODS)[0]?.status?.extendedResourceClaimStatus, undefined);
  plugin?.unreserve?.(demand, 'a');
  assert.equal(plugin?.reserve?.(demand, 'b'), undefined);
  assert.equal(
    made.decide(
      makePod('q', { resources: { 'example.com/gpu': '1' }, nodeSelector: { 'kubernetes.io/hostname': 'b' } }),
    ).node,
    undefined,
  );
  await plugin?.preBind?.(demand, 'b', {});
  const [claim] = made.wire.objects(RESOURCE_CLAIMS);
  assert.match(claim?.metadata.name ?? '', /^p-extended-resources-\w+$/);
  assert.deepEqual(claim?.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: seeded.metadata.uid, controller: true },
  ]);
  assert.deepEqual(claim?.metadata.annotations, { 'resource.kubernetes.io/extended-resource-claim': 'true' });
  assert.deepEqual(claim?.spec.devices.requests, [
    {
      name: 'container-0-request-0',
      exactly: { deviceClassName: 'gpus', allocationMode: 'ExactCount', count: 1 },
    },
  ]);
  assert.deepEqual(claim?.status?.allocation?.devices?.results, [
    { request: 'container-0-request-0', driver: 'd.example.org', pool: 'b', device: 'g' },
  ]);
  assert.deepEqual(
    claim?.status?.reservedFor?.map(({ uid }) => uid),
    [seeded.metadata.uid],
  );
  assert.deepEqual(made.wire.objects(PODS)[0]?.status?.extendedResourceClaimStatus, {
    resourceClaimName: claim?.metadata.name,
    requestMappings: [{ containerName: 'c', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' }],
  });
  assert.deepEqual(claim?.metadata.finalizers, ['resource.kubernetes.io/delete-protection']);
  const writes = made.wire.calls.filter((call) => call.resource.resource === RESOURCE_CLAIMS.resource);
  assert.deepEqual(
    writes.map(({ verb, subresource }) => [verb, subresource ?? '']),
    [
      ['create', ''],
      ['update', 'status'],
    ],
  );
  plugin?.unreserve?.(demand, 'b');
  await made.clock.advance(100);
  assert.deepEqual(made.wire.objects(RESOURCE_CLAIMS), [], 'what was made for nothing goes');
});

test('a pod that was given devices before, and goes where it needs none, says so', async () => {
  const made = scene();
  made.object(DEVICE_CLASSES, GPU_CLASS);
  made.nodes(makeNode('a', { resources: { 'example.com/gpu': '1' } }));
  const requestMappings = [
    { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' },
  ];
  const before = { extendedResourceClaimStatus: { resourceClaimName: 'gone', requestMappings } };
  const demand = made.demand(made.wire.seed(PODS, { ...GPUS, status: before }));
  const plugin = made.plugins.byName.get('DynamicResources');
  assert.equal(plugin?.reserve?.(demand, 'a'), undefined);
  await plugin?.preBind?.(demand, 'a', {});
  assert.equal(made.wire.objects(PODS)[0]?.status?.extendedResourceClaimStatus, undefined);
});
