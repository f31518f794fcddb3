import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../../draft.ts';
import type { Container, Pod } from '../../generated/core-v1.ts';
import { defaultPod } from './defaults.ts';

function defaulted(fields: object): Draft<Container> | undefined {
  const container = { name: 'c', image: 'busybox:1', ...structuredClone(fields) };
  const pod = { metadata: {}, spec: { containers: [container] } } as Draft<Pod>;
  defaultPod(pod);
  return pod.spec.containers[0];
}

// Values: upstream pkg/apis/core/v1/defaults.go and zz_generated.defaults.go.
describe('defaults of a container', () => {
  const containers: [name: string, given: object, expected: object][] = [
    ['ports are TCP', { ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: 'TCP' }] }],
    [
      'requests come from limits',
      { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } },
      { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } } },
    ],
    [
      'http probe',
      { livenessProbe: { httpGet: { port: 80 } } },
      {
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'grpc probe',
      { readinessProbe: { grpc: { port: 80 }, periodSeconds: 3 } },
      {
        readinessProbe: {
          grpc: { port: 80, service: '' },
          timeoutSeconds: 1,
          periodSeconds: 3,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'lifecycle',
      { lifecycle: { preStop: { httpGet: { port: 'x' } } } },
      { lifecycle: { preStop: { httpGet: { path: '/', port: 'x', scheme: 'HTTP' } } } },
    ],
    [
      'fieldRef',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }] },
    ],
  ];
  for (const [name, given, expected] of containers) {
    it(name, () => {
      assert.deepEqual(defaulted(given), {
        name: 'c',
        image: 'busybox:1',
        imagePullPolicy: 'IfNotPresent',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        ...expected,
      });
    });
  }
});
