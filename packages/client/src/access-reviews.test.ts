import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { AccessReviews } from './access-reviews.ts';
import type { Client } from './ports.ts';

const KEPT_MS = { token: 10_000, allowed: 20_000, denied: 5_000 };
const ENTRIES_MAX = 1_000;

function bench() {
  const clock = new VirtualClock();
  const asked: object[] = [];
  const state = { away: false };
  const user = { username: 'jane', uid: '7', groups: ['g'], extra: { 'example.org/scope': ['narrow'] } };
  const client = {
    dynamic: ({ resource }: { readonly resource: string }) => ({
      create: async ({ spec }: { readonly spec: { readonly token?: string; readonly user?: string } }) => {
        if (state.away) throw new RangeError('away');
        asked.push(spec);
        if (resource === 'tokenreviews') return { status: spec.token === 'bad' ? {} : { authenticated: true, user } };
        return { status: { allowed: spec.user === 'jane' } };
      },
    }),
  } as unknown as Client;
  const reviews = new AccessReviews({ client, clock, log: silentLogger, component: 'x', keptMs: KEPT_MS });
  return { clock, asked, state, reviews };
}

const METRICS = { nonResourceAttributes: { path: '/metrics', verb: 'get' } };

test('whoever is told apart by more than the name is asked about with all of it', async () => {
  const { asked, reviews } = bench();
  const user = await reviews.authenticate('good');
  assert.deepEqual(user, { name: 'jane', uid: '7', groups: ['g'], extra: { 'example.org/scope': ['narrow'] } });
  assert.equal(await reviews.allows(user, METRICS), true);
  const { extra: _, ...other } = user;
  assert.equal(await reviews.allows(other, METRICS), true);
  assert.deepEqual(asked, [
    { token: 'good' },
    { user: 'jane', groups: ['g'], uid: '7', extra: { 'example.org/scope': ['narrow'] }, ...METRICS },
    { user: 'jane', groups: ['g'], uid: '7', ...METRICS },
  ]);
});

test('what was answered is kept for its time, and no longer', async () => {
  const { clock, asked, reviews } = bench();
  const [jane, joe] = [
    { name: 'jane', groups: [] },
    { name: 'joe', groups: [] },
  ];
  const all = async (): Promise<number> => {
    asked.length = 0;
    await reviews.authenticate('bad');
    await reviews.allows(jane, METRICS);
    await reviews.allows(joe, METRICS);
    return asked.length;
  };
  assert.equal(await all(), 3);
  assert.equal(await all(), 0);
  await clock.advance(5_000);
  assert.equal(await all(), 1, 'that somebody may not');
  await clock.advance(5_000);
  assert.equal(await all(), 2, 'and whose token it is');
  await clock.advance(10_000);
  assert.equal(await all(), 3, 'and that somebody may');
});

test('where nobody can tell nobody is let in, and it is asked again', async () => {
  const { state, reviews } = bench();
  state.away = true;
  assert.equal(await reviews.authenticate('good'), undefined);
  await assert.rejects(reviews.allows({ name: 'jane', groups: [] }, METRICS), /away/);
  state.away = false;
  assert.equal((await reviews.authenticate('good'))?.name, 'jane');
  assert.equal(await reviews.allows({ name: 'jane', groups: [] }, METRICS), true);
});

test('of tokens that somebody makes up a thousand are kept', async () => {
  const { asked, reviews } = bench();
  for (let i = 0; i <= ENTRIES_MAX; i++) await reviews.authenticate(`t${i}`);
  asked.length = 0;
  await reviews.authenticate('t1');
  assert.equal(asked.length, 0);
  await reviews.authenticate('t0');
  assert.equal(asked.length, 1, 'the oldest went');
});
