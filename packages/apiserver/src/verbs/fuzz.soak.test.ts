import { it } from 'node:test';
import { sendHostileBodies } from '../testing/hostile-bodies.ts';

/** `SOAK_BODIES` says how many. */
const BODIES = Number(process.env['SOAK_BODIES'] ?? 1_000_000);
const EACH = 20_000;

/** The long form of fuzz.ring.test.ts, from a seed that the day gives: what it finds is found again by its seed. */
it(`answers ${BODIES} hostile bodies without a failure of its own`, async () => {
  const seed = Math.floor(Date.now() / 86_400_000) * 1_000_000;
  for (let done = 0; done < BODIES; done += EACH) await sendHostileBodies(seed + done, Math.min(EACH, BODIES - done));
});
