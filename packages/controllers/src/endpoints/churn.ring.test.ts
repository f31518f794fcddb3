import { test } from 'node:test';
import { live } from './test-lives.ts';

// A failing seed is printed with the assertion; run it alone with the same number. The long form: churn.soak.test.ts.
const SEEDS = 8;

test('under churn, kills and faults: exactly what a plain model holds, and then silence', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await live(seed);
});
