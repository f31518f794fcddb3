import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { credentialProviders, readCredentialProviders } from './credential-providers.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n';
const ONE =
  'name: ask, apiVersion: credentialprovider.kubelet.k8s.io/v1, matchImages: ["*.a.test"], defaultCacheDuration: 1m';

const rows: readonly [string, string, RegExp][] = [
  ['no providers', `${HEAD}providers: []`, /at least 1 provider/],
  ['another kind', 'kind: Other', /expected kind CredentialProviderConfig/],
  ['tokens of accounts', `${HEAD}providers: [{${ONE}, tokenAttributes: {}}]`, /not supported yet: tokenAttributes/],
  ['a path for a name', `${HEAD}providers: [{${ONE.replace('ask', '../ask')}}]`, /name is not that of a program/],
  ['twice the same', `${HEAD}providers: [{${ONE}}, {${ONE}}]`, /must be unique/],
  ['another version', `${HEAD}providers: [{${ONE.replace('k8s.io/v1', 'k8s.io/v9')}}]`, /apiVersion has to be/],
  ['no images', `${HEAD}providers: [{${ONE.replace('"*.a.test"', '')}}]`, /matchImages is required/],
];

async function withFile<T>(text: string, act: (path: string) => Promise<T>): Promise<T> {
  const folder = makeTestFolder().path;
  try {
    await writeFile(join(folder, 'c.yaml'), text);
    return await act(join(folder, 'c.yaml'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

for (const [name, text, wanted] of rows)
  test(`refused: ${name}`, () =>
    withFile(text, (path) => assert.rejects(readCredentialProviders(path), { message: wanted })));

test('a provider with all that it may say', async () => {
  const found = await withFile(
    `${HEAD}providers: [{${ONE}, args: [a, 1], env: [{name: A, value: b}]}]`,
    readCredentialProviders,
  );
  assert.deepEqual(found, [
    { name: 'ask', matchImages: ['*.a.test'], defaultCacheMs: 60_000, args: ['a', '1'], env: { A: 'b' } },
  ]);
});

test('one flag without the other is a mistake', async () => {
  assert.deepEqual(await credentialProviders({}), {});
  await assert.rejects(credentialProviders({ imageCredentialProviderBinDir: '/b' }), /belong together/);
});
