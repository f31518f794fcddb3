import { test } from 'node:test';
import { SEEDS, WHICH_SEEDS } from '../test-soak.ts';
import { live } from './test-lives.ts';

test(`killed and restarted at random: the exact end state, and never two pods for one ordinal, ${WHICH_SEEDS}`, async () => {
  for (const seed of SEEDS) await live(seed);
});
