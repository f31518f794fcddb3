import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec, Volume } from '@binnacle/api/core/v1';
import { VolumeError } from '../errors.ts';
import type { ObjectReader } from '../ports.ts';
import { testPod } from '../testing/node.ts';
import { volumePayload } from './payload.ts';

const objects: ObjectReader = {
  configMap: async (_ns, name) =>
    name === 'cm' ? { metadata: {}, data: { a: '1', b: '2' }, binaryData: { bin: 'AP8=' } } : undefined,
  secret: async (_ns, name) => (name === 's' ? { metadata: {}, data: { pw: btoa('x') } } : undefined),
  services: async () => [],
  token: async (_pod, audience, seconds) => ({
    token: `token-${audience}-${seconds}`,
    expiresAt: 1_000_000 + seconds * 1000,
  }),
  claim: async () => undefined,
  persistentVolume: async () => undefined,
  tellClaim: async () => undefined,
  node: async () => undefined,
  csiDriver: async () => undefined,
  volumeAttachment: async () => undefined,
  resourceClaim: async () => undefined,
  runtimeClass: async () => undefined,
  release: () => undefined,
};

async function payloadOf(
  volume: Omit<Volume, 'name'>,
  spec: Partial<PodSpec> = {},
): Promise<{ files: Record<string, string>; refreshAt: number }> {
  const pod = testPod({
    spec,
    metadata: { labels: { app: 'x' } },
    container: { resources: { limits: { memory: '1Mi' } } },
  });
  const node = { milliCpu: 1000, memoryBytes: 1, ephemeralStorageBytes: 1 };
  const payload = await volumePayload({
    pod,
    volume: { name: 'v', ...volume },
    holder: { changed: () => undefined },
    objects,
    node,
    now: 1_000_000,
  });
  const show = (content: Uint8Array): string =>
    [...content].map((c) => (c < 32 || c > 126 ? `<${c}>` : String.fromCharCode(c))).join('');
  const files = Object.fromEntries(
    [...payload.files].map(([path, f]) => [path, `${f.mode.toString(8)} ${show(f.content)}`]),
  );
  return { files, refreshAt: payload.refreshAt };
}

const rows: readonly [string, Omit<Volume, 'name'>, Record<string, string>][] = [
  ['configMap', { configMap: { name: 'cm', defaultMode: 0o400 } }, { a: '400 1', b: '400 2', bin: '400 <0><255>' }],
  [
    'configMap, chosen keys',
    { configMap: { name: 'cm', items: [{ key: 'a', path: 'x/y', mode: 0o600 }] } },
    { 'x/y': '600 1' },
  ],
  ['secret', { secret: { secretName: 's' } }, { pw: '644 x' }],
  ['optional and missing', { secret: { secretName: 'no', optional: true } }, {}],
  [
    'downward',
    {
      downwardAPI: {
        items: [
          { path: 'l', fieldRef: { fieldPath: 'metadata.labels' } },
          { path: 'm', resourceFieldRef: { containerName: 'main', resource: 'limits.memory', divisor: '1Ki' } },
        ],
      },
    },
    { l: '644 app="x"', m: '644 1024' },
  ],
  [
    'projected',
    {
      projected: {
        sources: [{ configMap: { name: 'cm', items: [{ key: 'b', path: 'b' }] } }, { secret: { name: 's' } }],
        defaultMode: 0o444,
      },
    },
    { b: '444 2', pw: '444 x' },
  ],
];

for (const [name, volume, wanted] of rows)
  test(`payload: ${name}`, async () => assert.deepEqual((await payloadOf(volume)).files, wanted));

const refused: readonly [string, Omit<Volume, 'name'>, string][] = [
  ['no configMap', { configMap: { name: 'no' } }, 'configmap "no" not found'],
  ['no secret', { secret: { secretName: 'no' } }, 'secret "no" not found'],
  ['no key', { configMap: { name: 'cm', items: [{ key: 'z', path: 'z' }] } }, 'references non-existent config key: z'],
  [
    'no key in the secret',
    { secret: { secretName: 's', items: [{ key: 'z', path: 'z' }] } },
    'references non-existent secret key: z',
  ],
  ['a path that leaves', { configMap: { name: 'cm', items: [{ key: 'a', path: '../a' }] } }, 'invalid path: ../a'],
];

for (const [name, volume, message] of refused) {
  test(`payload refused: ${name}`, async () =>
    assert.rejects(payloadOf(volume), (error) => error instanceof VolumeError && error.message === message));
}

test("a token is its owner's, and renewed after four fifths of its life", async () => {
  const volume = {
    projected: {
      sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600, audience: 'x' } }],
      defaultMode: 0o644,
    },
  };
  assert.deepEqual(await payloadOf(volume), { files: { token: '644 token-x-3600' }, refreshAt: 1_000_000 + 2_880_000 });
});
