import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Secret, ServiceAccount } from '@binnacle/api/core/v1';
import { VirtualClock } from '@binnacle/base';
import { createTokenKeys } from '../node/token-keys.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createSecretTokens, createSecretTokenSigner } from './secret-tokens.ts';

const keys = createTokenKeys();
const ACCOUNT: ServiceAccount = { metadata: { namespace: 'ns', name: 'app', uid: 'u1' } };
const NAMED: Secret = { metadata: { namespace: 'ns', name: 's', uid: 'u2' } };

interface Scene {
  readonly account?: ServiceAccount | undefined;
  readonly secret?: (token: string) => Secret | undefined;
  readonly signer?: ReturnType<typeof createSecretTokenSigner>;
}

async function identify(
  scene: Scene = {},
  uses: string[] = [],
): Promise<{ readonly name: string | undefined; readonly notes: unknown }> {
  const sign = scene.signer ?? createSecretTokenSigner(keys);
  const token = await sign({ account: ACCOUNT, secret: NAMED });
  const cache = new MemoryCache();
  const account = 'account' in scene ? scene.account : ACCOUNT;
  if (account !== undefined) cache.put(SERVICE_ACCOUNTS, account);
  const secret = scene.secret === undefined ? holding(token) : scene.secret(token);
  if (secret !== undefined) cache.put(SECRETS, secret);
  const notes: string[] = [];
  const noteUse = ({ metadata }: Secret, day: string): void => void notes.push(`${metadata.name} ${day}`);
  const measures = { used: (use: string) => void uses.push(use) };
  const known = createSecretTokens({ keys, cache, clock: new VirtualClock(Date.UTC(2026, 0, 31)), noteUse, measures });
  const identity = await known.identify(token, ['us']);
  return { name: identity?.user.name, notes };
}

const holding = (token: string, labels: { readonly [key: string]: string } = {}): Secret => ({
  metadata: { ...NAMED.metadata, labels },
  data: { token: btoa(token) },
});

const BELIEVED = 'system:serviceaccount:ns:app';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';

for (const [name, scene, expected, notes] of [
  ['what its secret says', {}, BELIEVED, ['s 2026-01-31']],
  ['used today already', { secret: (token) => holding(token, { [LAST_USED]: '2026-01-31' }) }, BELIEVED, []],
  ['by a clock that is ahead', { secret: (token) => holding(token, { [LAST_USED]: '2026-02-01' }) }, BELIEVED, []],
  ['used yesterday', { secret: (token) => holding(token, { [LAST_USED]: '2026-01-30' }) }, BELIEVED, ['s 2026-01-31']],
  [
    'not believed any more: its use is noted still',
    { secret: (token) => holding(token, { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' }) },
    undefined,
    ['s 2026-01-31'],
  ],
  ['its secret is gone', { secret: () => undefined }, undefined, []],
  ['its secret has another one by now', { secret: () => holding('x') }, undefined, []],
  [
    'its secret is going',
    {
      secret: (token) => ({
        ...holding(token),
        metadata: { ...NAMED.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      }),
    },
    undefined,
    [],
  ],
  ['its account is gone', { account: undefined }, undefined, []],
  ['another account of its name', { account: { metadata: { ...ACCOUNT.metadata, uid: 'other' } } }, undefined, []],
  ['signed by somebody else', { signer: createSecretTokenSigner(createTokenKeys()) }, undefined, []],
] as readonly (readonly [string, Scene, string | undefined, readonly string[]])[]) {
  test(`a token that a secret keeps: ${name}`, async () => {
    assert.deepEqual(await identify(scene), { name: expected, notes });
  });
}

const NAMING: ServiceAccount = { ...ACCOUNT, secrets: [{ name: 'other' }, { name: 's' }] };
const ENDED = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
for (const [name, scene, expected] of [
  ['somebody made it', {}, ['legacyManual']],
  ['its account names it', { account: NAMING }, ['legacyAuto']],
  [
    'its account names it, and it holds no more',
    { account: NAMING, secret: (token) => holding(token, ENDED) },
    ['invalidLegacyAuto'],
  ],
  ['somebody made it, and it holds no more', { secret: (token) => holding(token, ENDED) }, []],
  ['its secret is gone', { secret: () => undefined }, []],
] as readonly (readonly [string, Scene, readonly string[]])[])
  test(`a token that a secret keeps is counted: ${name}`, async () => {
    const uses: string[] = [];
    await identify(scene, uses);
    assert.deepEqual(uses, expected);
  });
