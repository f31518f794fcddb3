import { it } from 'node:test';
import { fuzz } from './testing/fuzz.ts';

/** The long form of fuzz.ring.test.ts, from a seed that the day gives: what it finds is found again by its seed. */
it('judges a million hostile objects without a crash', () => {
  const seed = Math.floor(Date.now() / 86_400_000) * 1_000_000;
  for (let done = 0; done < 1_000_000; done += 100_000) fuzz(seed + done, 100_000);
});
