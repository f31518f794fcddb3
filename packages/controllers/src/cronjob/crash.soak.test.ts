import { test } from 'node:test';
import { live } from './test-lives.ts';

/** `SOAK_ROUNDS` says how many lives. */
const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 200);

test(`killed and restarted at random: one job for each time, none twice, none left out, ${ROUNDS} rounds`, async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await live(seed);
});
