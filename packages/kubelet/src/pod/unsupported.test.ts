import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PodSpec } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { unsupportedAsks } from './unsupported.ts';

test('a pod that asks for what is built', () => {
  const spec: Partial<PodSpec> = {
    volumes: [
      { name: 'a', emptyDir: {} },
      { name: 'b', hostPath: { path: '/' } },
      { name: 'c', projected: { sources: [{ configMap: {} }, { serviceAccountToken: { path: 't' } }] } },
    ],
  };
  const container: Partial<Container> = {
    livenessProbe: { exec: {} },
    readinessProbe: { httpGet: { port: 1 } },
    startupProbe: { tcpSocket: { port: 1 } },
    resources: { limits: { cpu: '1', memory: '1' } },
  };
  assert.deepEqual(unsupportedAsks(testPod({ spec, container })), []);
});

const rows: readonly [Partial<PodSpec>, Partial<Container>, string][] = [
  [{}, { livenessProbe: { grpc: { port: 1 } } }, 'container main: livenessProbe grpc'],
  [{}, { lifecycle: { preStop: { tcpSocket: { port: 1 } } } }, 'container main: preStop tcpSocket'],
  [{}, { resources: { limits: { 'example.com/gpu': '1' } } }, 'container main: resource example.com/gpu'],
  [{}, { volumeDevices: [{ name: 'v', devicePath: '/d' }] }, 'container main: volumeDevices'],
  [{}, { securityContext: { seccompProfile: { type: 'Localhost' } } }, 'container main: seccomp Localhost'],
  [{ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }, {}, 'volume v: persistentVolumeClaim'],
  [
    { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } }] },
    {},
    'volume v: projected clusterTrustBundle',
  ],
  [{ volumes: [{ name: 'v', emptyDir: { medium: 'HugePages' } }] }, {}, 'volume v: medium HugePages'],
  [{ runtimeClassName: 'gvisor' }, {}, 'runtimeClassName gvisor'],
  [{ hostUsers: false }, {}, 'user namespaces (hostUsers: false)'],
  [{ os: { name: 'windows' } }, {}, 'operating system windows'],
  [{ resourceClaims: [{ name: 'r' }] }, {}, 'resourceClaims'],
];

for (const [spec, container, wanted] of rows) {
  test(`refused: ${wanted}`, () => {
    const made = testPod({ container });
    assert.deepEqual(unsupportedAsks({ ...made, spec: { ...made.spec, ...spec } }), [wanted]);
  });
}
