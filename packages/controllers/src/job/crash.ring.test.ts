import { test } from 'node:test';
import { live } from './test-lives.ts';

// A failing seed is printed with the assertion; run it alone with the same number. The long form: crash.soak.test.ts.
const SEEDS = 4;
/** A pod that gets its finalizer back, in a cache that is behind. */
const SEED_OF_LATE_CACHE = 90;

for (const mode of ['NonIndexed', 'Indexed', 'limits per index'] as const) {
  test(`${mode}, killed and restarted at random: no pod counted twice, none lost, never one too many`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await live(mode, seed);
    await live(mode, SEED_OF_LATE_CACHE);
  });
}
