import { test } from 'node:test';
import { live } from './test-lives.ts';

// A failing seed is printed with the assertion; run it alone with the same number. The long form: crash.soak.test.ts.
const SEEDS = 5;
/** A life that is longer than the server keeps a watch which names no time. */
const SEED_OF_LONG_LIFE = 170_165;

test('killed and restarted at random: one job for each time, none twice, none left out', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await live(seed);
  await live(SEED_OF_LONG_LIFE);
});

for (const policy of ['Forbid', 'Replace'] as const) {
  test(`${policy}, killed and restarted at random: never two at a time`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await live(seed, policy);
  });
}
