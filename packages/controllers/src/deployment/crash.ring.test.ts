import { test } from 'node:test';
import { live, liveOfTwo } from './test-lives.ts';

// A failing seed is printed with the assertion; run it alone with the same number. The long form: crash.soak.test.ts.
const SEEDS = 4;
/** A lost answer to a new size, and another template right behind it. */
const SEED_OF_LOST_SIZE = 47;
/** A pod is made, its answer lost; it is asked for again, and deleted before that request arrives. */
const SEED_OF_SECOND_LIFE = 160;

test('killed and restarted at random: the exact end state, and never more asked for than a surge allows', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await live(seed);
  await live(SEED_OF_LOST_SIZE);
});

test('two asked for, never three', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await liveOfTwo(seed);
  await liveOfTwo(SEED_OF_SECOND_LIFE);
});
