import { it } from 'node:test';
import { sendHostileBodies } from '../testing/hostile-bodies.ts';

/** The long form of fuzz.ring.test.ts, from a seed that the day gives: what it finds is found again by its seed. */
it('answers a million hostile bodies without a failure of its own', async () => {
  const seed = Math.floor(Date.now() / 86_400_000) * 1_000_000;
  for (let done = 0; done < 1_000_000; done += 20_000) await sendHostileBodies(seed + done, 20_000);
});
