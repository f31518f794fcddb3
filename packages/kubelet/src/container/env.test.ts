import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Secret } from '@binnacle/api/core/v1';
import { ContainerStartError } from '../errors.ts';
import { testPod } from '../testing/node.ts';
import { containerEnvironment } from './env.ts';

const SECRETS = new Map<string, Secret>([
  ['s', { metadata: {}, data: { pw: btoa('geheim') } }],
  ['marked', { metadata: {}, data: { mark: '77u/aGk=' } }],
]);

async function environmentOf(container: Partial<Container>): Promise<Record<string, string>> {
  const pod = testPod({ container, metadata: { labels: { app: 'x' } }, spec: { serviceAccountName: 'sa' } });
  const env = await containerEnvironment({
    pod,
    container: pod.spec.containers[0]!,
    services: [
      { metadata: { name: 'db-1', namespace: 'default' }, spec: { clusterIP: '10.0.0.9', ports: [{ port: 5432 }] } },
    ],
    addresses: { podIPs: ['10.1.0.2', 'fd00::2'], hostIPs: ['192.0.2.1'] },
    node: { milliCpu: 4000, memoryBytes: 2 ** 33, ephemeralStorageBytes: 2 ** 35 },
    configMap: async (name) => (name === 'cm' ? { metadata: {}, data: { one: '1', two: '2' } } : undefined),
    secret: async (name) => SECRETS.get(name),
    volumeFile: async (volume, path) =>
      volume === 'work'
        ? { hostPath: `/v/${path}`, text: async () => (path === 'env' ? "K='v w'\nEMPTY=''\n" : undefined) }
        : undefined,
  });
  return Object.fromEntries([...env].filter(([key]) => !key.startsWith('DB_1')));
}

const rows: readonly [string, Partial<Container>, Record<string, string>][] = [
  [
    'plain values in order',
    {
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', value: '$(A)y' },
      ],
    },
    { A: 'x', B: 'xy' },
  ],
  [
    'a later variable is not known yet',
    {
      env: [
        { name: 'A', value: '$(B)' },
        { name: 'B', value: '1' },
      ],
    },
    { A: '$(B)', B: '1' },
  ],
  [
    'a mark of byte order at the beginning is part of it',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'marked', key: 'mark' } } }] },
    { A: '\ufeffhi' },
  ],
  ['service variables may be referred to', { env: [{ name: 'A', value: '$(DB_1_SERVICE_HOST)' }] }, { A: '10.0.0.9' }],
  [
    'envFrom with a prefix, overridden by env',
    { envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }], env: [{ name: 'P_one', value: 'mine' }] },
    { P_one: 'mine', P_two: '2' },
  ],
  [
    'of a file that the pod has written; empty is not there',
    {
      env: [
        { name: 'A', valueFrom: { fileKeyRef: { volumeName: 'work', path: 'env', key: 'K' } } },
        { name: 'B', valueFrom: { fileKeyRef: { volumeName: 'work', path: 'env', key: 'EMPTY', optional: true } } },
        { name: 'C', valueFrom: { fileKeyRef: { volumeName: 'work', path: 'env', key: 'NONE', optional: true } } },
      ],
    },
    { A: 'v w' },
  ],
  ['a secret whole', { envFrom: [{ secretRef: { name: 's' } }] }, { pw: 'geheim' }],
  [
    'keys',
    {
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'one' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'pw' } } },
      ],
    },
    { A: '1', B: 'geheim' },
  ],
  [
    'optional and missing sets nothing',
    {
      envFrom: [{ secretRef: { name: 'no', optional: true } }],
      env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'no', key: 'x', optional: true } } }],
    },
    {},
  ],
  [
    'fields',
    {
      env: [
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
        { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: 'SA', valueFrom: { fieldRef: { fieldPath: 'spec.serviceAccountName' } } },
      ],
    },
    { IP: '10.1.0.2', IPS: '10.1.0.2,fd00::2', L: 'x', SA: 'sa' },
  ],
  [
    'resources of the node where there is no limit',
    { env: [{ name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
    { C: '4' },
  ],
];

for (const [name, container, wanted] of rows) {
  test(`environment: ${name}`, async () => assert.deepEqual(await environmentOf(container), wanted));
}

const missing: readonly [string, Partial<Container>, string][] = [
  ['no configmap', { envFrom: [{ configMapRef: { name: 'no' } }] }, 'configmap "no" not found'],
  [
    'no secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'no', key: 'k' } } }] },
    'secret "no" not found',
  ],
  [
    'no key',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'k' } } }] },
    "couldn't find key k in ConfigMap default/cm",
  ],
  [
    'a key that every object seems to have',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'constructor' } } }] },
    "couldn't find key constructor in ConfigMap default/cm",
  ],
  [
    'the same in a secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'toString' } } }] },
    "couldn't find key toString in Secret default/s",
  ],
  [
    'no key in a secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    "couldn't find key k in Secret default/s",
  ],
  [
    'a file of no volume',
    { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'none', path: 'env', key: 'K' } } }] },
    'cannot find the volume "none" referenced by FileKeyRef',
  ],
  [
    'a file that is not there, optional or not',
    { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'work', path: 'no', key: 'K', optional: true } } }] },
    "couldn't parse env file",
  ],
  [
    'a key that a file lacks',
    { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'work', path: 'env', key: 'NONE' } } }] },
    'environment variable key "NONE" not found in file "/v/env"',
  ],
];

for (const [name, container, message] of missing) {
  test(`environment: ${name}`, async () => {
    await assert.rejects(
      environmentOf(container),
      (error) =>
        error instanceof ContainerStartError &&
        error.reason === 'CreateContainerConfigError' &&
        error.message === message,
    );
  });
}
