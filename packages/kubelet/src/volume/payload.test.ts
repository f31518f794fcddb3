import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import type { ClusterTrustBundleProjection, PodSpec, Volume } from '@binnacle/api/core/v1';
import { VolumeError } from '../errors.ts';
import type { ObjectReader } from '../ports.ts';
import { testPod } from '../testing/node.ts';
import { volumePayload } from './payload.ts';

const BLOCK_1 = '-----BEGIN CERTIFICATE-----\nAQ==\n-----END CERTIFICATE-----\n';
const BLOCK_2 = '-----BEGIN CERTIFICATE-----\nAg==\n-----END CERTIFICATE-----\n';
const ANCHORS = `${BLOCK_1}${BLOCK_2}`.replaceAll('\n', '<10>');
const trustBundle = (text: string): ClusterTrustBundle => ({ metadata: {}, spec: { trustBundle: text } });

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
  trustBundles: async (wish) => {
    const isMissing = 'name' in wish ? wish.name === 'none' : wish.labelSelector === undefined;
    return isMissing ? [] : [trustBundle(`${BLOCK_2}words\n${BLOCK_1}`), trustBundle(BLOCK_1)];
  },
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

const bundles = (...sources: readonly ClusterTrustBundleProjection[]): Omit<Volume, 'name'> => ({
  projected: { sources: sources.map((clusterTrustBundle) => ({ clusterTrustBundle })) },
});

test('certificates are each there once, in one order, and as private as tokens', async () => {
  const made = await payloadOf(bundles({ name: 'b', path: 'a/ca.pem' }), { securityContext: { runAsUser: 7 } });
  assert.deepEqual(made, { files: { 'a/ca.pem': `600 ${ANCHORS}` }, refreshAt: Infinity });
});

test('what is missing is told in upstream’s words', async () => {
  await assert.rejects(payloadOf(bundles({ name: 'none', path: 'p' })), {
    message: 'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "none" not found',
  });
  const none = 'combination of signerName and labelSelector matched zero ClusterTrustBundles';
  await assert.rejects(payloadOf(bundles({ signerName: 'a.b/c', path: 'p' })), { message: none });
  await assert.rejects(payloadOf(bundles({ path: 'p' })), {
    message: 'ClusterTrustBundle projection requires either name or signerName to be set',
  });
});

const rows: readonly [string, Omit<Volume, 'name'>, Record<string, string>][] = [
  [
    'bundles of certificates',
    bundles(
      { name: 'b', path: 'one.pem' },
      { signerName: 'a.b/c', labelSelector: {}, path: 'all.pem' },
      { name: 'none', path: 'none.pem', optional: true },
    ),
    { 'one.pem': `644 ${ANCHORS}`, 'all.pem': `644 ${ANCHORS}`, 'none.pem': '644 ' },
  ],
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
