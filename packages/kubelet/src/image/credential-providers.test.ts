import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import { type CredentialProvider, type ImageCredentials, createImageCredentials } from './credential-providers.ts';

const PROVIDER: CredentialProvider = {
  name: 'p',
  matchImages: ['*.a.test', 'b.test/team'],
  defaultCacheMs: 60_000,
  args: [],
  env: {},
};
const answer = (of: object = {}): string =>
  JSON.stringify({
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    kind: 'CredentialProviderResponse',
    cacheKeyType: 'Image',
    auth: { '*.a.test': { username: 'u', password: 'p' }, 'x.a.test/deep': { username: 'deep', password: 'p' } },
    ...of,
  });

function bench(
  says: () => string,
  matchImages = PROVIDER.matchImages,
): { clock: VirtualClock; asked: string[]; credentials: ImageCredentials } {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const run = async (_: CredentialProvider, input: string): Promise<string> => {
    asked.push((JSON.parse(input) as { image: string }).image);
    return says();
  };
  return {
    clock,
    asked,
    credentials: createImageCredentials({ providers: [{ ...PROVIDER, matchImages }], run, clock, log: silentLogger }),
  };
}

test('what is for the image, the nearest first; others are not asked about', async () => {
  const { credentials, asked } = bench(answer);
  assert.deepEqual(
    (await credentials('x.a.test/deep/i:1')).map(({ username }) => username),
    ['deep', 'u'],
  );
  assert.deepEqual(await credentials('docker.io/i'), []);
  assert.deepEqual(await credentials('b.test/other/i'), []);
  assert.deepEqual(asked, ['x.a.test/deep/i']);
});

test('a program is asked about the repository, and Docker Hub goes by its old name, too', async () => {
  const hub = { 'https://index.docker.io/v1/': { username: 'hub', password: 'p' } };
  const { credentials, asked } = bench(() => answer({ auth: hub }), ['docker.io']);
  assert.deepEqual(await credentials('busybox:1.36'), [{ username: 'hub', password: 'p' }]);
  assert.deepEqual(await credentials('busybox:1.37'), [{ username: 'hub', password: 'p' }]);
  assert.deepEqual(asked, ['docker.io/library/busybox']);
});

for (const [type, second, wanted] of [
  ['Image', 'x.a.test/i:2', 1],
  ['Image', 'x.a.test/other:1', 2],
  ['Registry', 'x.a.test/i:2', 1],
  ['Registry', 'y.a.test/i:1', 2],
  ['Global', 'y.a.test/i:1', 1],
] as const)
  test(`an answer by ${type} is kept: ${second} asks ${wanted - 1} times more`, async () => {
    const { credentials, asked } = bench(() => answer({ cacheKeyType: type }));
    await credentials('x.a.test/i:1');
    await credentials(second);
    assert.equal(asked.length, wanted);
  });

test('kept as long as it says, else as long as is usual; at once is asked once', async () => {
  const { credentials, asked, clock } = bench(() => answer({ cacheDuration: '1m.5m' }));
  await Promise.all([credentials('x.a.test/i'), credentials('x.a.test/i')]);
  await clock.advance(89_000);
  await credentials('x.a.test/i');
  assert.equal(asked.length, 1);
  await clock.advance(2_000);
  await credentials('x.a.test/i');
  assert.equal(asked.length, 2);
  for (const cacheDuration of ['0s', '0', '.0us']) {
    const never = bench(() => answer({ cacheDuration }));
    await never.credentials('x.a.test/i');
    assert.equal((await never.credentials('x.a.test/i')).length, 1, cacheDuration);
    assert.equal(never.asked.length, 2, cacheDuration);
  }
});

for (const text of [
  '',
  'null',
  '{}',
  answer({ kind: 'Other' }),
  answer({ cacheKeyType: 'x' }),
  answer({ cacheDuration: 'x' }),
])
  test(`no such answer (${text.slice(0, 30)}) counts as knowing nothing`, async () => {
    assert.deepEqual(await bench(() => text).credentials('x.a.test/i'), []);
  });

test('entries that are no credentials are left out', async () => {
  const { credentials } = bench(() => answer({ auth: { 'x.a.test': { username: 1 }, constructor: null } }));
  assert.deepEqual(await credentials('x.a.test/i'), []);
});
