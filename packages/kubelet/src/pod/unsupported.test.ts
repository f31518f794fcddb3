import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '@binnacle/api';
import type { Container, PodSpec } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { unknownFields, unsupportedAsks } from './unsupported.ts';

test('a pod that asks for what is built', () => {
  const spec: Partial<PodSpec> = {
    affinity: {},
    hostUsers: false,
    os: { name: 'linux' },
    securityContext: { fsGroup: 1, fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: { type: 'RuntimeDefault' } },
    tolerations: [],
    resourceClaims: [{ name: 'r', resourceClaimName: 'c' }],
    volumes: [
      { name: 'a', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      { name: 'b', hostPath: { path: '/' } },
      { name: 'c', projected: { sources: [{ configMap: {} }, { serviceAccountToken: { path: 't' } }] } },
      { name: 'd', persistentVolumeClaim: { claimName: 'c' } },
    ],
  };
  const container: Partial<Container> = {
    livenessProbe: { exec: {} },
    readinessProbe: { httpGet: { port: 1 } },
    startupProbe: { tcpSocket: { port: 1 } },
    resources: {
      limits: { cpu: '1', memory: '1', 'example.com/gpu': '1' },
      requests: { 'ephemeral-storage': '1Gi' },
      claims: [{ name: 'r' }],
    },
    securityContext: { appArmorProfile: { type: 'Unconfined' } },
    volumeMounts: [{ name: 'a', mountPath: '/a', subPathExpr: '$(A)', recursiveReadOnly: 'IfPossible' }],
  };
  assert.deepEqual(unsupportedAsks(testPod({ spec, container: { name: 'main', ...container } })), []);
});

const rows: readonly [object, object, string][] = [
  [{}, { lifecycle: { preStop: { tcpSocket: { port: 1 } } } }, 'spec.containers[main].lifecycle.preStop.tcpSocket'],
  [
    {},
    { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
    'spec.containers[main].securityContext.appArmorProfile: RuntimeDefault',
  ],
  [{ volumes: [{ name: 'v', nfs: {} }] }, {}, 'spec.volumes[v].nfs'],
  [
    { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: {} }] } }] },
    {},
    'spec.volumes[v].projected.sources[0].clusterTrustBundle',
  ],
  [{ volumes: [{ name: 'v', emptyDir: { medium: 'Glass' } }] }, {}, 'spec.volumes[v].emptyDir.medium: Glass'],
  [
    {},
    { restartPolicy: 'Never', restartPolicyRules: [{ action: 'RestartAllContainers' }, { action: 'RestartTheWorld' }] },
    'spec.containers[main].restartPolicyRules: RestartTheWorld',
  ],
  [{ os: { name: 'windows' } }, {}, 'spec.os: windows'],
  [{ aFieldOfTomorrow: 1 }, {}, 'spec.aFieldOfTomorrow'],
  [{}, { constructor: 1 }, 'spec.containers[main].constructor'],
];

for (const [spec, container, wanted] of rows) {
  test(`refused: ${wanted}`, () => {
    const made = testPod({ container: { name: 'main', ...container } });
    assert.deepEqual(unsupportedAsks({ ...made, spec: { ...made.spec, ...spec } }), [wanted]);
  });
}

test('what has a feature gate is done where that is on', () => {
  const made = testPod({});
  const volumes = [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { name: 'b', path: 'p' } }] } }];
  const pod = { ...made, spec: { ...made.spec, volumes } };
  const path = 'spec.volumes[v].projected.sources[0].clusterTrustBundle';
  assert.deepEqual(unsupportedAsks(pod, { ClusterTrustBundleProjection: false }), [path]);
  assert.deepEqual(unsupportedAsks(pod, { ClusterTrustBundleProjection: true }), []);
});

test('of the schema, all but these is acted on or looked at', () => {
  assert.deepEqual(
    unknownFields(schemas.table)
      .filter((field) => !field.startsWith('Volume.'))
      .toSorted(),
    ['LifecycleHandler.tcpSocket', 'VolumeProjection.podCertificate'],
  );
});
