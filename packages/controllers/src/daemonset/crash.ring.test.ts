import { test } from 'node:test';
import { live } from './test-lives.ts';

// A failing seed is printed with the assertion; run it alone with the same number. The long form: crash.soak.test.ts.
const SEEDS = 5;

test('killed and restarted at random: one pod on each node in the end, and never two', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await live(seed);
});
