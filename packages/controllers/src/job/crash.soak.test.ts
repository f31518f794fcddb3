import { test } from 'node:test';
import { live } from './test-lives.ts';

/** `SOAK_ROUNDS` says how many lives. */
const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 200);

for (const mode of ['NonIndexed', 'Indexed'] as const) {
  test(`${mode}, killed and restarted at random: no pod counted twice, none lost, never one too many, ${ROUNDS} rounds`, async () => {
    for (let seed = 1; seed <= ROUNDS; seed++) await live(mode, seed);
  });
}
