import { test } from 'node:test';
import { live } from './test-lives.ts';

/** `SOAK_ROUNDS` says how many lives. */
const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 200);

test(`under churn, kills and faults: exactly what a plain model holds, and then silence, ${ROUNDS} rounds`, async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await live(seed);
});
