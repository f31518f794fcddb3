import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseFeatures, DEFAULT_FEATURES } from './choose-features.ts';
import type { GateWishes } from './choose-features.ts';
import { gateStates } from './gate-states.ts';
import { readComponentGates, readKubeletGates, readRuntimeConfig } from './flag-texts.ts';
import { ALWAYS_ON, LOCKED_OFF, LOCKED_ON, NOT_BUILT, SWITCHABLE, WHOLE_STAGES } from './gates.ts';
import { requestedResources } from './runtime-config.ts';

describe('feature gates', () => {
  it('are known by what becomes of them, each once', () => {
    const all = [...LOCKED_ON, ...LOCKED_OFF, ...ALWAYS_ON, ...NOT_BUILT, ...WHOLE_STAGES, ...Object.keys(SWITCHABLE)];
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual([LOCKED_ON.length, LOCKED_OFF.length, ALWAYS_ON.length, NOT_BUILT.length], [72, 3, 90, 60]);
  });

  it('have a stage each, and stand as they were chosen', () => {
    const states = gateStates({ ...DEFAULT_FEATURES, ClusterTrustBundle: true });
    const counts = Map.groupBy(states, ({ stage, isOn }) => `${stage} ${isOn}`);
    // As the list of v1.36.2 has them by default, but for the one that was chosen.
    assert.deepEqual(Object.fromEntries([...counts].map(([name, all]) => [name, all.length])), {
      'ALPHA false': 48,
      'BETA false': 11,
      ' true': 74,
      'DEPRECATED true': 6,
      'DEPRECATED false': 10,
      'BETA true': 83,
    });
    const shown = [
      'ClusterTrustBundle',
      'MutatingAdmissionPolicy',
      'KMSv1',
      'SidecarContainers',
      'ShardedListAndWatch',
    ];
    assert.deepEqual(
      shown.map((name) => states.find((state) => state.name === name)),
      [
        { name: 'ClusterTrustBundle', stage: 'BETA', isOn: true },
        { name: 'MutatingAdmissionPolicy', stage: '', isOn: true },
        { name: 'KMSv1', stage: 'DEPRECATED', isOn: false },
        { name: 'SidecarContainers', stage: '', isOn: true },
        { name: 'ShardedListAndWatch', stage: 'ALPHA', isOn: false },
      ],
    );
  });

  const BOTH = { ClusterTrustBundle: true, ClusterTrustBundleProjection: true };
  const rows: readonly (readonly [what: string, wishes: GateWishes, result: string | object])[] = [
    ['nothing said', {}, DEFAULT_FEATURES],
    ['both', BOTH, { ...DEFAULT_FEATURES, ...BOTH }],
    ['one of workloads', { MaxUnavailableStatefulSet: true }, { ...DEFAULT_FEATURES, MaxUnavailableStatefulSet: true }],
    ['one', { ClusterTrustBundle: true }, { ...DEFAULT_FEATURES, ClusterTrustBundle: true }],
    [
      'one that needs the other',
      { ClusterTrustBundleProjection: true },
      'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
    ['what is unknown', { ...BOTH, Foo: true }, 'unrecognized feature gate: Foo'],
    ['a name of Object', { constructor: true }, 'unrecognized feature gate: constructor'],
    ['as it is', { SidecarContainers: true, WatchList: true, EventedPLEG: false, KMSv1: false }, DEFAULT_FEATURES],
    [
      'graduated ones',
      { SidecarContainers: false, NodeSwap: false },
      '[cannot set feature gate SidecarContainers to false, feature is locked to true, cannot set feature gate NodeSwap to false, feature is locked to true]',
    ],
    [
      'one given up',
      { GitRepoVolumeDriver: true },
      'cannot set feature gate GitRepoVolumeDriver to true, feature is locked to false',
    ],
    ['one that is always on', { WatchList: false }, 'feature gate WatchList cannot be switched off here'],
    ['one that is not built', { EventedPLEG: true }, 'feature gate EventedPLEG is not supported here'],
    ['one of beta', { PodCertificateRequest: true }, 'feature gate PodCertificateRequest is not supported here'],
    ['no alpha ones', { AllAlpha: false }, DEFAULT_FEATURES],
    ['all alpha ones', { AllAlpha: true }, 'feature gate AllAlpha=true is not supported here: name single ones'],
    ['no beta ones', { AllBeta: false }, 'feature gate AllBeta=false is not supported here: name single ones'],
  ];
  for (const [what, wishes, result] of rows) {
    it(`${what}: chosen or refused`, () => {
      assert.deepEqual(chooseFeatures(wishes), typeof result === 'string' ? { problem: result } : { features: result });
    });
  }
});

describe('--feature-gates', () => {
  const components: readonly (readonly [texts: readonly string[], result: string | GateWishes])[] = [
    [[], {}],
    [['A=true, B=f', '', 'A=0,'], { A: false, B: false }],
    [['kube:A=T', 'kube: B=1'], { A: true, B: true }],
    [
      ['A=true,kube:B=true'],
      'set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use',
    ],
    [['wardle:A=true'], 'component not registered: wardle'],
    [['A'], 'missing bool value for A'],
    [['A=yes'], 'invalid value of A=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
  ];
  for (const [texts, result] of components) {
    it(`of components: ${JSON.stringify(texts)}`, () => {
      assert.deepEqual(readComponentGates(texts), typeof result === 'string' ? { problem: result } : { read: result });
    });
  }
  const kubelet: readonly (readonly [texts: readonly string[], result: string | GateWishes])[] = [
    [['A=true,B=False'], { A: true, B: false }],
    [['A'], 'malformed pair, expect string=bool'],
    [['A=yes'], 'invalid value of A: yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
    [['kube:A=true'], { 'kube:A': true }],
  ];
  for (const [texts, result] of kubelet) {
    it(`of the kubelet: ${JSON.stringify(texts)}`, () => {
      assert.deepEqual(readKubeletGates(texts), typeof result === 'string' ? { problem: result } : { read: result });
    });
  }
});

describe('--runtime-config', () => {
  const BETA = 'certificates.k8s.io/v1beta1';
  const on = { ...DEFAULT_FEATURES, ClusterTrustBundle: true };
  const rows: readonly (readonly [text: string, result: string | readonly string[]])[] = [
    ['', []],
    [`${BETA}=true`, ['clustertrustbundles']],
    [BETA, ['clustertrustbundles']],
    [`${BETA}/clustertrustbundles=true`, ['clustertrustbundles']],
    ['api/all=true', ['clustertrustbundles']],
    ['api/beta=true', ['clustertrustbundles']],
    ['api/all=true,api/beta=false', []],
    [`api/beta=true,${BETA}=false`, []],
    [`${BETA}/clustertrustbundles=true,${BETA}=false`, ['clustertrustbundles']],
    [`${BETA}=true,${BETA}/clustertrustbundles=false`, []],
    [`${BETA}=true,${BETA}=false`, []],
    ['api/ga=true,apps/v1=true,apps/v1/deployments,api/alpha=false', []],
    ['storage.k8s.io/v1beta1=false', []],
    ['api/all=false', 'invalid key with only api/all=false'],
    ['api/all=false,apps/v1=true', 'api/all is always served here and cannot be switched off'],
    ['api/all=1', 'invalid value api/all=1'],
    ['api/all', 'invalid value api/all='],
    ['api/ga=false', 'api/ga is always served here and cannot be switched off'],
    ['api/alpha=true', 'api/alpha is not supported here'],
    ['v1=true', 'runtime-config invalid key v1'],
    ['a/b/c/d=true', 'runtime-config invalid key a/b/c/d'],
    ['ships.io/v1=true,a/b=true', 'unknown api groups ships.io,a'],
    ['api/legacy=true', 'unknown api groups api'],
    ['apps/v2=true', 'group version apps/v2 that has not been registered'],
    [`${BETA}=x`, `invalid value of ${BETA}: x, err: strconv.ParseBool: parsing "x": invalid syntax`],
    [
      `${BETA}/ClusterTrustBundles`,
      `invalid key ${BETA}/ClusterTrustBundles: group/version/resource and resource is always lowercase plural, not "ClusterTrustBundles"`,
    ],
    ['apps/v1=false', 'apps/v1 is always served here and cannot be switched off'],
    ['apps/v1/deployments=false', 'apps/v1/deployments is always served here and cannot be switched off'],
    ['storage.k8s.io/v1beta1', 'storage.k8s.io/v1beta1 is not supported here'],
    [`${BETA}/podcertificaterequests`, `${BETA}/podcertificaterequests is not supported here`],
  ];
  for (const [text, result] of rows) {
    it(text === '' ? 'nothing' : text, () => {
      const made = requestedResources(readRuntimeConfig([text]), on);
      if (typeof result === 'string') assert.deepEqual(made, { problem: result });
      else {
        assert.ok('resources' in made, JSON.stringify(made));
        assert.deepEqual(
          made.resources.map(({ resource }) => resource),
          result,
        );
      }
    });
  }

  it('what its gate holds back is told', () => {
    assert.deepEqual(requestedResources(readRuntimeConfig(['api/beta=true']), DEFAULT_FEATURES), {
      resources: [],
      withoutGate: [{ resource: 'clustertrustbundles', gate: 'ClusterTrustBundle' }],
    });
  });
});
