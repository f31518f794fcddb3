import { test } from 'node:test';
import { SEEDS, WHICH_SEEDS } from '../test-soak.ts';
import { live } from './test-lives.ts';

for (const mode of ['NonIndexed', 'Indexed', 'limits per index'] as const) {
  test(`${mode}, killed and restarted at random: no pod counted twice, none lost, never one too many, ${WHICH_SEEDS}`, async () => {
    for (const seed of SEEDS) await live(mode, seed);
  });
}
