import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { UsageError } from '../errors.ts';
import { flagsOf, shownControllerManagerConfig } from './controller-manager-config.ts';

const HEAD = {
  apiVersion: 'kubecontrollermanager.config.k8s.io/v1alpha1',
  kind: 'KubeControllerManagerConfiguration',
};

for (const [name, fields, expected] of [
  ['nothing', {}, {}],
  ['which controllers', { Generic: { Controllers: ['*', '-job'] } }, { controllers: ['*', '-job'] }],
  [
    'the election',
    { Generic: { LeaderElection: { leaderElect: false, leaseDuration: '30s', resourceName: '' } } },
    { leaderElect: false, leaderElectLeaseDuration: 30_000 },
  ],
  [
    'autoscaling',
    { HPAController: { HorizontalPodAutoscalerSyncPeriod: '5s', HorizontalPodAutoscalerTolerance: 0.2 } },
    { horizontalPodAutoscalerSyncPeriod: 5000, horizontalPodAutoscalerTolerance: 0.2 },
  ],
  [
    'networks of nodes',
    {
      KubeCloudShared: { AllocateNodeCIDRs: true, ClusterCIDR: '10.0.0.0/8,fd00::/48' },
      NodeIPAMController: { NodeCIDRMaskSizeIPv4: 0 },
    },
    { allocateNodeCidrs: true, clusterCidr: ['10.0.0.0/8', 'fd00::/48'] },
  ],
  [
    'what changes nothing',
    { JobController: { ConcurrentJobSyncs: 50 }, EndpointSliceController: { MaxEndpointsPerSlice: 100 } },
    {},
  ],
  ['null is absent', { Generic: null }, {}],
] as const) {
  test(`a configuration of controllers says: ${name}`, () => {
    assert.deepEqual(flagsOf({ ...HEAD, ...fields }), expected);
  });
}

for (const [name, document, message] of [
  ['no kind', { apiVersion: HEAD.apiVersion }, /^kind: is missing/],
  ['another version', { ...HEAD, apiVersion: 'v1' }, /^apiVersion: cannot be changed here, it is "kube/],
  ['an unknown group', { ...HEAD, Nonsense: {} }, /^Nonsense: unknown/],
  ['an unknown field', { ...HEAD, Generic: { constructor: 1 } }, /^Generic.constructor: unknown/],
  ['a prototype name', { ...HEAD, constructor: {} }, /^constructor: unknown/],
  [
    'what cannot be changed',
    { ...HEAD, EndpointSliceController: { MaxEndpointsPerSlice: 7 } },
    /MaxEndpointsPerSlice: cannot be changed here, it is 100/,
  ],
  [
    'no duration',
    { ...HEAD, HPAController: { HorizontalPodAutoscalerSyncPeriod: 'soon' } },
    /^HPAController.Horizontal/,
  ],
  ['a group that is a list', { ...HEAD, Generic: [] }, /^Generic: expected an object/],
  ['a list', [], /expected an object/],
] as const) {
  test(`a configuration of controllers is refused by name: ${name}`, () => {
    assert.throws(
      () => flagsOf(document),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
    );
  });
}

test('what is shown is what holds, by the names that upstream has inside', () => {
  const shown = shownControllerManagerConfig({
    controllers: ['job-controller'],
    leaderElectLeaseDuration: 20_000,
    serviceClusterIpRange: ['10.96.0.0/16', 'fd00::/112'],
  });
  assert.partialDeepStrictEqual(shown, {
    Generic: {
      Controllers: ['job-controller'],
      LeaderElection: {
        LeaderElect: true,
        LeaseDuration: '20s',
        RenewDeadline: '10s',
        RetryPeriod: '2s',
        ResourceLock: 'leases',
        ResourceName: 'kube-controller-manager',
        ResourceNamespace: 'kube-system',
      },
      ClientConnection: { Kubeconfig: '' },
    },
    KubeCloudShared: { AllocateNodeCIDRs: false, ClusterCIDR: '' },
    EndpointSliceController: { MaxEndpointsPerSlice: 100 },
    HPAController: { HorizontalPodAutoscalerSyncPeriod: '15s', HorizontalPodAutoscalerTolerance: 0.1 },
    NodeIPAMController: { ServiceCIDR: '10.96.0.0/16,fd00::/112', NodeCIDRMaskSizeIPv4: 24 },
    NodeLifecycleController: { NodeMonitorGracePeriod: '50s' },
    CSRSigningController: { ClusterSigningDuration: '8760h0m0s' },
    PodGCController: { TerminatedPodGCThreshold: 12_500 },
  });
});
