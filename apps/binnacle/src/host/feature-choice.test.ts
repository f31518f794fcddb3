import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_FEATURES } from '@binnacle/api';
import { UsageError } from '../errors.ts';
import { chosen, featuresOf, gatesOf, kubeletGatesOf, servingChoice } from './feature-choice.ts';
import { withFlags } from './kubelet-config.ts';

const BOTH = ['ClusterTrustBundle=true,ClusterTrustBundleProjection=true'];
const ON = { ...DEFAULT_FEATURES, ClusterTrustBundle: true, ClusterTrustBundleProjection: true };

describe('flags of features', () => {
  it('are read in each component’s grammar', () => {
    assert.deepEqual(featuresOf({ featureGates: BOTH }), ON);
    assert.deepEqual(gatesOf({ featureGates: ['kube:WatchList=true'] }), { WatchList: true });
    assert.deepEqual(kubeletGatesOf({ featureGates: ['WatchList=true', 'A=false'] }), { WatchList: true, A: false });
    assert.deepEqual(featuresOf({}), DEFAULT_FEATURES);
    const two = ['MaxUnavailableStatefulSet=true', 'ContainerStopSignals=true,TaintTolerationComparisonOperators=true'];
    assert.deepEqual(featuresOf({ featureGates: two }), {
      ...DEFAULT_FEATURES,
      ContainerStopSignals: true,
      MaxUnavailableStatefulSet: true,
      TaintTolerationComparisonOperators: true,
    });
  });

  const refused: readonly (readonly [what: () => unknown, message: string])[] = [
    [() => gatesOf({ featureGates: ['A'] }), '--feature-gates: missing bool value for A'],
    [() => kubeletGatesOf({ featureGates: ['A'] }), '--feature-gates: malformed pair, expect string=bool'],
    [() => chosen({ Foo: true }), 'unrecognized feature gate: Foo'],
    [
      () => featuresOf({ featureGates: ['NodeSwap=false'] }),
      'cannot set feature gate NodeSwap to false, feature is locked to true',
    ],
    [
      () => servingChoice({ runtimeConfig: ['apps/v1=false'] }, () => undefined),
      '--runtime-config: apps/v1 is always served here and cannot be switched off',
    ],
    [
      () => withFlags({ featureGates: { EventedPLEG: true } }, {}, {}),
      'feature gate EventedPLEG is not supported here',
    ],
    [
      () => withFlags({ featureGates: { ClusterTrustBundleProjection: true } }, {}, {}),
      'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
  ];
  for (const [what, message] of refused) {
    it(`refused: ${message}`, () =>
      assert.throws(what, (error) => error instanceof UsageError && error.message === message));
  }

  it('what a gate holds back is told', () => {
    const warnings: string[] = [];
    const asked = { runtimeConfig: ['api/beta=true'] };
    assert.deepEqual(servingChoice(asked, (text) => warnings.push(text)).onRequest, []);
    assert.match(warnings.join(), /clustertrustbundles, which the feature gate ClusterTrustBundle holds back/);
    const { onRequest, features } = servingChoice({ ...asked, featureGates: BOTH }, (text) => warnings.push(text));
    assert.deepEqual(
      [onRequest.map(({ resource }) => resource), features, warnings.length],
      [['clustertrustbundles'], ON, 1],
    );
  });

  it('of the kubelet go over its file, one by one', () => {
    const file = { featureGates: { ClusterTrustBundle: true, ClusterTrustBundleProjection: false }, maxPods: 3 };
    const config = withFlags(file, { nodeStatusUpdateFrequency: 5 }, { ClusterTrustBundleProjection: true });
    assert.deepEqual(config, { featureGates: ON, maxPods: 3, nodeStatusUpdateMs: 5 });
  });
});
