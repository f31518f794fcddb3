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
  readonly audiences?: readonly string[];
}

interface Told {
  readonly name: string | undefined;
  readonly notes: unknown;
  readonly audiences: readonly string[] | undefined;
  readonly doubts: readonly string[];
}

async function identify(scene: Scene = {}, uses: string[] = []): Promise<Told> {
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
  const clock = new VirtualClock(Date.UTC(2026, 0, 31));
  const known = createSecretTokens({ keys, cache, clock, audiences: ['us', 'we'], noteUse, measures });
  const doubts: string[] = [];
  const identity = await known.identify(token, scene.audiences ?? ['us'], (why) => doubts.push(why));
  return { name: identity?.user.name, notes, audiences: identity?.audiences, doubts };
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
    const told = await identify(scene);
    assert.deepEqual([told.name, told.notes], [expected, notes]);
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

test('a token that a secret keeps is for this server, and nobody else may take it for theirs', async () => {
  const both = await identify({ audiences: ['vault', 'we'] });
  assert.deepEqual([both.name, both.audiences], [BELIEVED, ['we']]);
  const { name, doubts } = await identify({ audiences: ['vault'] });
  assert.equal(name, undefined);
  assert.deepEqual(doubts, ['token audiences ["us" "we"] is invalid for the target audiences ["vault"]']);
});

for (const [scene, doubt] of [
  [{ secret: () => undefined }, 'Token has been invalidated'],
  [{ secret: () => holding('x') }, "Token does not match server's copy"],
  [{ account: undefined }, 'serviceaccounts "app" not found'],
  [
    { account: { metadata: { ...ACCOUNT.metadata, uid: 'other' } } },
    'ServiceAccount UID (other) does not match claim (u1)',
  ],
  [
    { account: { metadata: { ...ACCOUNT.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } },
    'ServiceAccount ns/app has been deleted',
  ],
  [{ signer: createSecretTokenSigner(createTokenKeys()) }, 'invalid signature, no keys found'],
  [
    { secret: (token) => holding(token, { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' }) },
    "the token in secret ns/s for service account ns/app has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
  ],
] as readonly (readonly [Scene, string])[]) {
  test(`who asks hears why: ${doubt}`, async () => assert.deepEqual((await identify(scene)).doubts, [doubt]));
}
