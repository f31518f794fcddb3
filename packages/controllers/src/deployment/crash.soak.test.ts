import { test } from 'node:test';
import { live, liveOfTwo } from './test-lives.ts';

/** `SOAK_ROUNDS` says how many lives. */
const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 200);

test(`killed and restarted at random: the exact end state, and never more asked for than a surge allows, ${ROUNDS} rounds`, async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await live(seed);
});

test(`two asked for, never three, ${ROUNDS} rounds`, async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await liveOfTwo(seed);
});
