import { test } from 'node:test';
import { SEEDS, WHICH_SEEDS } from '../test-soak.ts';
import { live } from './test-lives.ts';

test(`under churn, kills and faults: exactly what a plain model holds, and then silence, ${WHICH_SEEDS}`, async () => {
  for (const seed of SEEDS) await live(seed);
});
