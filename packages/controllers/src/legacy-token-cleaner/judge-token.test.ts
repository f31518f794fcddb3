import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { judgeToken, secretNamesOf } from './judge-token.ts';

const DAY_MS = 86_400_000;
const nowMs = Date.UTC(2026, 6, 1);

for (const [name, age, labels, expected] of [
  ['young', 5, {}, 'keep'],
  ['never used', 20, {}, 'invalidate'],
  ['used long ago', 99, { 'kubernetes.io/legacy-token-last-used': '2026-05-01' }, 'invalidate'],
  ['used lately', 99, { 'kubernetes.io/legacy-token-last-used': '2026-06-25' }, 'keep'],
  ['used on the last day that counts', 99, { 'kubernetes.io/legacy-token-last-used': '2026-06-21' }, 'keep'],
  ['used when nobody knows', 99, { 'kubernetes.io/legacy-token-last-used': 'soon' }, 'keep'],
  ['not believed since lately', 99, { 'kubernetes.io/legacy-token-invalid-since': '2026-06-25' }, 'keep'],
  ['not believed since long ago', 99, { 'kubernetes.io/legacy-token-invalid-since': '2026-06-01' }, 'delete'],
  ['not believed since nonsense', 99, { 'kubernetes.io/legacy-token-invalid-since': '2026-13-01' }, 'invalidate'],
] as const) {
  test(`a token of an older cluster: ${name}`, () => {
    const creationTimestamp = new Date(nowMs - age * DAY_MS).toISOString();
    assert.equal(judgeToken({ metadata: { creationTimestamp, labels } }, { nowMs, unusedMs: 10 * DAY_MS }), expected);
  });
}

test('a pod needs secrets in many places', () => {
  const container = (name: string): object => ({
    name,
    env: [
      { name: 'E', valueFrom: { secretKeyRef: { name: `${name}-env`, key: 'k' } } },
      { name: 'F', value: 'v' },
    ],
    envFrom: [{ secretRef: { name: `${name}-from` } }, { configMapRef: { name: 'no' } }],
  });
  const spec = {
    imagePullSecrets: [{ name: 'pull' }],
    containers: [container('main')],
    initContainers: [container('init')],
    ephemeralContainers: [container('ephemeral')],
    volumes: [
      { name: 'a', secret: { secretName: 'volume' } },
      { name: 'b', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'no' } }] } },
      { name: 'c', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
      { name: 'd', emptyDir: {} },
    ],
  };
  const names = secretNamesOf({ metadata: {}, spec } as unknown as Parameters<typeof secretNamesOf>[0]);
  assert.deepEqual(names.toSorted(), [
    'csi',
    'ephemeral-env',
    'ephemeral-from',
    'init-env',
    'init-from',
    'main-env',
    'main-from',
    'projected',
    'pull',
    'volume',
  ]);
});
