import { test } from 'node:test';
import { SEEDS, WHICH_SEEDS } from '../test-soak.ts';
import { live } from './test-lives.ts';

test(`killed and restarted at random: one job for each time, none twice, none left out, ${WHICH_SEEDS}`, async () => {
  for (const seed of SEEDS) await live(seed);
});

for (const policy of ['Forbid', 'Replace'] as const) {
  test(`${policy}, killed and restarted at random: never two at a time, ${WHICH_SEEDS}`, async () => {
    for (const seed of SEEDS) await live(seed, policy);
  });
}
