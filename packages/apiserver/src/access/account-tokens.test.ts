import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, createSeededRandom } from '@binnacle/base';
import { createTokenKeys } from '../node/token-keys.ts';
import { AccountTokens } from './account-tokens.ts';
import type { BoundClaims } from './account-tokens.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

const BOUND: BoundClaims = { namespace: 'default', serviceaccount: { name: 'app', uid: 'u1' } };
const START = Date.UTC(2026, 0, 1) / 1000;

test('the claims are those that other implementations read', async () => {
  const tokens = new AccountTokens({
    keys: createTokenKeys(),
    issuer: 'us',
    clock: new VirtualClock(),
    random: createSeededRandom(1),
  });
  const { token, expires } = await tokens.issue(BOUND, ['them'], 600);
  assert.equal(expires, START + 600);
  const { jti, ...claims } = (await tokens.read(token))!;
  assert.match(jti, /^[0-9a-f-]{36}$/);
  assert.deepEqual(claims, {
    aud: ['them'],
    exp: START + 600,
    iat: START,
    iss: 'us',
    'kubernetes.io': BOUND,
    nbf: START,
    sub: 'system:serviceaccount:default:app',
  });
  assert.deepEqual(Object.keys(JSON.parse(atob(token.split('.')[0]!)) as object), ['alg', 'kid']);
});

test('a signature is verified once, the time at every use', async () => {
  const clock = new VirtualClock();
  const keys = createTokenKeys();
  let verified = 0;
  const counting = {
    ...keys,
    verify: (...given: Parameters<typeof keys.verify>) => (verified++, keys.verify(...given)),
  };
  const tokens = new AccountTokens({ keys: counting, issuer: 'us', clock, random: createSeededRandom(1) });
  const { token } = await tokens.issue(BOUND, ['us'], 600);
  for (let i = 0; i < 3; i++) assert.notEqual(tokens.read(token), undefined);
  assert.equal(verified, 1);
  await clock.advance(660_000);
  assert.notEqual(tokens.read(token), undefined, 'clocks may differ by a minute');
  const doubts: string[] = [];
  await clock.advance(1);
  assert.equal(
    tokens.read(token, (why) => doubts.push(why)),
    undefined,
  );
  assert.deepEqual(doubts, ['service account token has expired']);
});

test('a token of a server whose clock is ahead is believed, up to a minute', async () => {
  const [ahead, behind] = [61_000, 0].map((ms) => new VirtualClock(Date.UTC(2026, 0, 1) + ms));
  assert.ok(ahead !== undefined && behind !== undefined);
  const world = { keys: createTokenKeys(), issuer: 'us', random: createSeededRandom(1) };
  const { token } = await new AccountTokens({ ...world, clock: ahead }).issue(BOUND, ['us'], 600);
  const tokens = new AccountTokens({ ...world, clock: behind });
  const doubts: string[] = [];
  assert.equal(
    tokens.read(token, (why) => doubts.push(why)),
    undefined,
  );
  assert.deepEqual(doubts, ['service account token is not valid yet']);
  await behind.advance(1000);
  assert.notEqual(tokens.read(token), undefined);
});

test('tokens of other issuers and other keys are not ours', async () => {
  const world = { clock: new VirtualClock(), random: createSeededRandom(1) };
  const keys = createTokenKeys();
  const ours = new AccountTokens({ ...world, keys, issuer: 'us' });
  const others = new AccountTokens({ ...world, keys, issuer: 'others' });
  const strangers = new AccountTokens({ ...world, keys: createTokenKeys(), issuer: 'us' });
  assert.equal(await ours.read((await others.issue(BOUND, ['us'], 600)).token), undefined);
  assert.equal(await ours.read((await strangers.issue(BOUND, ['us'], 600)).token), undefined);
});

test('base64url: both ways, and nothing else', () => {
  for (let length = 0; length < 5; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => 250 + i);
    assert.deepEqual(decodeBase64Url(encodeBase64Url(bytes)), bytes);
  }
  assert.equal(encodeBase64Url(new Uint8Array([255, 239])), '_-8');
  assert.deepEqual(['a+b', 'a/b', 'YQ==', 'a'].map(decodeBase64Url), Array(4).fill(undefined));
});
