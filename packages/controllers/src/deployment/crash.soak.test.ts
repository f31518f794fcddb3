import { test } from 'node:test';
import { SEEDS, WHICH_SEEDS } from '../test-soak.ts';
import { live, liveOfTwo } from './test-lives.ts';

test(`killed and restarted at random: the exact end state, and never more asked for than a surge allows, ${WHICH_SEEDS}`, async () => {
  for (const seed of SEEDS) await live(seed);
});

test(`two asked for, never three, ${WHICH_SEEDS}`, async () => {
  for (const seed of SEEDS) await liveOfTwo(seed);
});
