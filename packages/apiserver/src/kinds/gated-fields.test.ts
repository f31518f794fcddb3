import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_FEATURES } from '@binnacle/api';
import type { Features } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import { startTestServer } from '../testing/test-server.ts';
import type { TestObject } from '../testing/test-server.ts';
import { withoutGated } from './gated-fields.ts';

const volumesOf = (asks: boolean): object[] => [
  { name: 'plain', emptyDir: {} },
  {
    name: 'trust',
    projected: {
      sources: [
        { configMap: { name: 'c' } },
        asks ? { clusterTrustBundle: { name: 'b', path: 'ca.pem' } } : { downwardAPI: {} },
      ],
    },
  },
];
const podSpec = (asks: boolean, restartPolicy = 'Always'): object => ({
  containers: [{ name: 'c', image: 'i' }],
  restartPolicy,
  volumes: volumesOf(asks),
});
const template = (asks: boolean, restartPolicy?: string): object => ({
  metadata: { labels: { a: 'b' } },
  spec: podSpec(asks, restartPolicy),
});
const selected = (asks: boolean): object => ({ selector: { matchLabels: { a: 'b' } }, template: template(asks) });

/** Where each kind has the definition of a pod, and an object of it. */
const ROWS: readonly (readonly [path: string, of: (asks: boolean) => object, at: string])[] = [
  ['/api/v1/namespaces/default/pods', (asks) => ({ spec: podSpec(asks) }), 'spec'],
  ['/api/v1/namespaces/default/podtemplates', (asks) => ({ template: template(asks) }), 'template.spec'],
  [
    '/api/v1/namespaces/default/replicationcontrollers',
    (asks) => ({ spec: { selector: { a: 'b' }, template: template(asks) } }),
    'spec.template.spec',
  ],
  ...['daemonsets', 'deployments', 'replicasets', 'statefulsets'].map(
    (resource) =>
      [
        `/apis/apps/v1/namespaces/default/${resource}`,
        (asks: boolean) => ({ spec: selected(asks) }),
        'spec.template.spec',
      ] as const,
  ),
  [
    '/apis/batch/v1/namespaces/default/jobs',
    (asks) => ({ spec: { template: template(asks, 'Never') } }),
    'spec.template.spec',
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    (asks) => ({ spec: { schedule: '* * * * *', jobTemplate: { spec: { template: template(asks, 'Never') } } } }),
    'spec.jobTemplate.spec.template.spec',
  ],
];

function sourcesOf(object: TestObject, at: string): readonly object[] {
  const spec = at.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], object);
  const [, volume] = (spec as { volumes: { projected: { sources: object[] } }[] }).volumes;
  return volume?.projected.sources ?? [];
}

const namesIn = (sources: readonly object[]): string[] => sources.map((source) => Object.keys(source).join());

describe('what asks for trust bundles', () => {
  it('is left out before anything else is done with a new object; kinds without pods are as they were', () => {
    const seen: string[][] = [];
    const strategy = {
      prepareForCreate: (object: object) => void seen.push(namesIn(sourcesOf(object as TestObject, 'spec'))),
    };
    const secrets = { strategy: {} };
    const kinds = withoutGated({ pods: { strategy, generation: true }, secrets }, DEFAULT_FEATURES);
    const pod = { metadata: { name: 'x' }, spec: podSpec(true) } as TestObject;
    kinds['pods']?.strategy?.prepareForCreate?.(pod, { name: 'a', groups: [] });
    assert.deepEqual(seen, [['configMap', '']]);
    assert.deepEqual([kinds['pods']?.generation, kinds['secrets']], [true, secrets]);
    const other = { metadata: { name: 'y' }, spec: {} } as TestObject;
    kinds['jobs.batch']?.strategy?.prepareForUpdate?.(other, { metadata: { name: 'y' } });
    assert.deepEqual(other.spec, {});
  });

  for (const [path, of, at] of ROWS) {
    it(`is left out of ${path.split('/').at(-1)} without the feature gate, and kept where it was`, async () => {
      const off = await startTestServer();
      const made = await off.ask(`POST ${path}`, { metadata: { name: 'x' }, ...of(true) });
      assert.equal(made.code, 201, String(made.body['message']));
      assert.deepEqual(namesIn(sourcesOf(made.body, at)), ['configMap', '']);
      await off.server.close();

      const on = await startTestServer({ features: { ClusterTrustBundleProjection: true } });
      const kept = await on.ask(`POST ${path}`, { metadata: { name: 'x' }, ...of(true) });
      assert.deepEqual(namesIn(sourcesOf(kept.body, at)), ['configMap', 'clusterTrustBundle']);
      await on.server.close();

      const again = await startTestServer({ store: on.store });
      const label = JSON.stringify({ metadata: { labels: { c: 'd' } } });
      const patched = await again.ask(`PATCH ${path}/x`, label, { 'content-type': 'application/merge-patch+json' });
      assert.equal(patched.code, 200, String(patched.body['message']));
      assert.deepEqual(namesIn(sourcesOf(patched.body, at)), ['configMap', 'clusterTrustBundle']);
      await again.server.close();
    });
  }

  it('does not come by a change either', async () => {
    const { ask, server } = await startTestServer();
    const path = '/apis/apps/v1/namespaces/default/deployments';
    assert.equal((await ask(`POST ${path}`, { metadata: { name: 'x' }, spec: selected(false) })).code, 201);
    const change = JSON.stringify({ spec: { template: { spec: { volumes: volumesOf(true) } } } });
    const patched = await ask(`PATCH ${path}/x`, change, { 'content-type': 'application/merge-patch+json' });
    assert.equal(patched.code, 200, String(patched.body['message']));
    assert.deepEqual(namesIn(sourcesOf(patched.body, 'spec.template.spec')), ['configMap', '']);
    await server.close();
  });
});

const withGate = (gate: string): Features => ({ ...DEFAULT_FEATURES, [gate]: true });
const CALLER = { name: 'a', groups: [] };
const containersWith = (lifecycle: object): object => ({ containers: [{ name: 'c', image: 'i', lifecycle }] });
const preStop = { exec: { command: ['true'] } };
const device = (attributes: object, more: object = {}): object => ({
  spec: { devices: [{ name: 'd', attributes: { ...attributes, size: { int: 1 } }, ...more }] },
});

interface Gating {
  readonly gate: string;
  readonly resource: string;
  readonly given: object;
  /** What is left of it without the gate. */
  readonly left: object;
  readonly status?: true;
}

/** Every field of v1.36 that a kind served here has with a gate alone that is off by default. */
const GATINGS: readonly Gating[] = [
  {
    gate: 'MaxUnavailableStatefulSet',
    resource: 'statefulsets.apps',
    given: {
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: '50%' } } },
    },
    left: { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } } },
  },
  {
    gate: 'ContainerStopSignals',
    resource: 'pods',
    given: { spec: containersWith({ stopSignal: 'SIGUSR1' }) },
    left: { spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
  {
    gate: 'ContainerStopSignals',
    resource: 'cronjobs.batch',
    given: {
      spec: { jobTemplate: { spec: { template: { spec: containersWith({ preStop, stopSignal: 'SIGUSR1' }) } } } },
    },
    left: { spec: { jobTemplate: { spec: { template: { spec: containersWith({ preStop }) } } } } },
  },
  {
    gate: 'PodCertificateRequest',
    resource: 'podtemplates',
    given: {
      template: { spec: { volumes: [{ projected: { sources: [{ podCertificate: { keyType: 'ED25519' } }] } }] } },
    },
    left: { template: { spec: { volumes: [{ projected: { sources: [{}] } }] } } },
  },
  {
    gate: 'GenericWorkload',
    resource: 'jobs.batch',
    given: { spec: { template: { spec: { schedulingGroup: { podGroupName: 'g' } } } } },
    left: { spec: { template: { spec: {} } } },
  },
  {
    gate: 'CoordinatedLeaderElection',
    resource: 'leases.coordination.k8s.io',
    given: { spec: { holderIdentity: 'a', strategy: 'OldestEmulationVersion', preferredHolder: 'b' } },
    left: { spec: { holderIdentity: 'a' } },
  },
  {
    gate: 'CrossNamespaceVolumeDataSource',
    resource: 'persistentvolumeclaims',
    given: { spec: { dataSourceRef: { kind: 'A', name: 'a', namespace: 'other' } } },
    left: { spec: {} },
  },
  {
    gate: 'VolumeLimitScaling',
    resource: 'csidrivers.storage.k8s.io',
    given: { spec: { attachRequired: true, preventPodSchedulingIfMissing: true } },
    left: { spec: { attachRequired: true } },
  },
  {
    gate: 'DRANodeAllocatableResources',
    resource: 'resourceslices.resource.k8s.io',
    given: device({}, { nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '2' } } }),
    left: device({}),
  },
  {
    gate: 'DRAListTypeAttributes',
    resource: 'resourceslices.resource.k8s.io',
    given: device({ ids: { ints: [1, 2] }, names: { strings: ['a'] } }),
    left: device({ ids: {}, names: {} }),
  },
  {
    gate: 'DRANodeAllocatableResources',
    resource: 'pods',
    given: { status: { phase: 'Running', nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'c' }] } },
    left: { status: { phase: 'Running' } },
    status: true,
  },
  {
    gate: 'ImageVolumeWithDigest',
    resource: 'pods',
    given: { status: { initContainerStatuses: [{ volumeMounts: [{ name: 'v', volumeStatus: { image: {} } }] }] } },
    left: { status: { initContainerStatuses: [{ volumeMounts: [{ name: 'v' }] }] } },
    status: true,
  },
];

describe('fields with a feature gate', () => {
  const written = (
    { resource, given, status }: Gating,
    features: Features,
    before?: object,
  ): Omit<KubeObject, 'metadata'> => {
    const { strategy } = withoutGated({}, features)[resource] ?? {};
    const named = (object: object): KubeObject => ({ ...structuredClone(object), metadata: { name: 'x' } });
    const object = named(given);
    if (before === undefined && status === undefined) strategy?.prepareForCreate?.(object, CALLER);
    else if (status === undefined) strategy?.prepareForUpdate?.(object, named(before ?? {}));
    else strategy?.prepareForStatusUpdate?.(object, named(before ?? {}));
    const { metadata: _same, ...rest } = object;
    return rest;
  };

  for (const row of GATINGS) {
    const { gate, resource, given, left, status } = row;
    it(`${gate}: of ${resource}${status === true ? ' in their status' : ''}`, () => {
      assert.deepEqual(written(row, DEFAULT_FEATURES), left, 'new');
      assert.deepEqual(written(row, DEFAULT_FEATURES, left), left, 'not there before');
      assert.deepEqual(written(row, DEFAULT_FEATURES, given), given, 'there before');
      assert.deepEqual(written(row, withGate(gate)), given, 'the gate is on');
    });
  }

  it('of a lease one by one', () => {
    const [row] = GATINGS.filter(({ gate }) => gate === 'CoordinatedLeaderElection');
    assert.ok(row);
    const left = { spec: { holderIdentity: 'a', strategy: 'OldestEmulationVersion' } };
    assert.deepEqual(written(row, DEFAULT_FEATURES, left), left);
  });

  it('of claims from elsewhere go, those of the same namespace stay', () => {
    const given = { spec: { dataSourceRef: { kind: 'A', name: 'a', namespace: '' } } };
    assert.deepEqual(
      written({ gate: '', resource: 'persistentvolumeclaims', given, left: given }, DEFAULT_FEATURES),
      given,
    );
  });

  it('of StatefulSets are one with the gate where nothing is said', () => {
    const given = { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } } };
    const row = { gate: 'MaxUnavailableStatefulSet', resource: 'statefulsets.apps', given, left: given };
    const full = {
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 1 } } },
    };
    assert.deepEqual(written(row, withGate(row.gate)), full);
    assert.deepEqual(written(row, withGate(row.gate), given), full);
    const other = { spec: { updateStrategy: { type: 'OnDelete' } } };
    assert.deepEqual(written({ ...row, given: other }, withGate(row.gate)), other);
  });
});

describe('a StatefulSet’s maxUnavailable', () => {
  const path = '/apis/apps/v1/namespaces/default/statefulsets';
  const set = (maxUnavailable: number): object => ({
    metadata: { name: 'x' },
    spec: { ...selected(false), updateStrategy: { rollingUpdate: { maxUnavailable } } },
  });
  const rollingOf = (body: TestObject): unknown =>
    (body['spec'] as { updateStrategy: { rollingUpdate: unknown } }).updateStrategy.rollingUpdate;

  it('is left out without its gate, counted with it, and kept where it was', async () => {
    const off = await startTestServer();
    const made = await off.ask(`POST ${path}`, set(2));
    assert.deepEqual([made.code, rollingOf(made.body)], [201, { partition: 0 }]);
    await off.server.close();
    const on = await startTestServer({ features: { MaxUnavailableStatefulSet: true } });
    const kept = await on.ask(`POST ${path}`, set(2));
    assert.deepEqual(rollingOf(kept.body), { partition: 0, maxUnavailable: 2 });
    const silent = await on.ask(`POST ${path}`, { metadata: { name: 'y' }, spec: selected(false) });
    assert.deepEqual(rollingOf(silent.body), { partition: 0, maxUnavailable: 1 });
    await on.server.close();
    const again = await startTestServer({ store: on.store });
    const change = JSON.stringify({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } } });
    const patched = await again.ask(`PATCH ${path}/x`, change, { 'content-type': 'application/merge-patch+json' });
    assert.deepEqual([patched.code, rollingOf(patched.body)], [200, { partition: 0, maxUnavailable: 3 }]);
    await again.server.close();
  });
});
