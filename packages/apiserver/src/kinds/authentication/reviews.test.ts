import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { TokenAuthenticator } from '../../access/token-authenticator.ts';
import { post } from '../../testing/handlers.ts';
import { createSelfSubjectReviewHandler, createTokenReviewHandler } from './reviews.ts';

const RESOURCE = 'tokenreviews.authentication.k8s.io';
const tokens: TokenAuthenticator = {
  identify(token, audiences, doubt) {
    if (token === 'good') return { user: { name: 'jane', uid: '1', groups: ['devs'] }, audiences };
    for (let i = 0; i < Number(token); i++) doubt?.(`doubt ${i % 20}`);
    return undefined;
  },
};
const review = async (token: string, audiences?: readonly string[]): Promise<unknown> => {
  const body = { metadata: {}, spec: { token, ...(audiences === undefined ? {} : { audiences }) } };
  const answer = await post(createTokenReviewHandler(tokens, ['us', 'we']), RESOURCE, { body });
  return (answer as { status?: unknown }).status;
};

test('whose a token is, and for which of the audiences', async () => {
  const user = { username: 'jane', uid: '1', groups: ['devs'] };
  assert.deepEqual(await review('good'), { authenticated: true, user, audiences: ['us', 'we'] });
  assert.deepEqual(await review('good', []), { authenticated: true, user, audiences: ['us', 'we'] });
  assert.deepEqual(await review('good', ['them']), { authenticated: true, user, audiences: ['them'] });
});

for (const [token, error] of [
  ['nobody', 'invalid bearer token'],
  ['1', '[invalid bearer token, doubt 0]'],
  ['2', '[invalid bearer token, doubt 0, doubt 1]'],
] as const) {
  test(`why nobody knows it: ${error}`, async () => assert.deepEqual(await review(token), { user: {}, error }));
}

test('what is said again and again is told once, and not at any length', async () => {
  const { error } = (await review('1000000')) as { readonly error: string };
  assert.equal(error.split(', ').length, 17);
});

test('who the caller is, and when; nothing comes back of what was sent', async () => {
  const handler = createSelfSubjectReviewHandler(new VirtualClock(Date.UTC(2026, 0, 31)));
  const body = { metadata: { name: 'x', labels: { a: 'b' } } };
  assert.deepEqual(await post(handler, RESOURCE, { user: { name: 'a', groups: ['g'] }, body }), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: '2026-01-31T00:00:00Z' },
    status: { userInfo: { username: 'a', groups: ['g'] } },
  });
});
