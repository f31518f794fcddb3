import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { AccountTokens } from './account-tokens.ts';
import { createSeededTokenKeys } from './seeded-token-keys.ts';

const BOUND = { namespace: 'default', serviceaccount: { name: 'app', uid: 'u1' } };

async function tokensOf(seed: number): Promise<AccountTokens> {
  const keys = await createSeededTokenKeys(webcrypto.subtle, seed);
  return new AccountTokens({ keys, issuer: 'us', clock: new VirtualClock(), random: createSeededRandom(1) });
}

test('the same seed signs the same token; another one does not know it', async () => {
  const [one, two, other] = await Promise.all([tokensOf(7), tokensOf(7), tokensOf(8)]);
  const { token } = await one.issue(BOUND, ['us'], 600);
  assert.equal((await two.issue(BOUND, ['us'], 600)).token, token);
  assert.equal((await two.read(token))?.sub, 'system:serviceaccount:default:app');
  assert.equal(await other.read(token), undefined);
  const [head = '', , tail = ''] = token.split('.');
  const { token: longer } = await one.issue(BOUND, ['us'], 601);
  assert.equal(await two.read(`${head}.${longer.split('.')[1] ?? ''}.${tail}`), undefined, 'a changed body');
});

test('keys that take time are asked once per token', async () => {
  const keys = await createSeededTokenKeys(webcrypto.subtle, 1);
  let asked = 0;
  const counting = { ...keys, verify: (...given: Parameters<typeof keys.verify>) => (asked++, keys.verify(...given)) };
  const world = { issuer: 'us', clock: new VirtualClock(), random: createSeededRandom(1) };
  const tokens = new AccountTokens({ ...world, keys: counting });
  const { token } = await tokens.issue(BOUND, ['us'], 600);
  assert.ok(tokens.read(token) instanceof Promise, 'not known yet');
  await tokens.read(token);
  const again = tokens.read(token);
  assert.ok(!(again instanceof Promise) && again !== undefined, 'known');
  assert.equal(asked, 2);
});
