/** Whole servers under hostile bodies of all kinds: no 5xx, and nothing stored by what is refused. */
import { it } from 'node:test';
import { sendHostileBodies } from '../testing/hostile-bodies.ts';

const SEED = 20_261_122;

it('answers twenty thousand hostile bodies without a failure of its own', () => sendHostileBodies(SEED, 20_000));
