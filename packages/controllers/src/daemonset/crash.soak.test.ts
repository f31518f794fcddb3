import { test } from 'node:test';
import { SEEDS, WHICH_SEEDS } from '../test-soak.ts';
import { live } from './test-lives.ts';

test(`killed and restarted at random: one pod on each node in the end, and never two, ${WHICH_SEEDS}`, async () => {
  for (const seed of SEEDS) await live(seed);
});
