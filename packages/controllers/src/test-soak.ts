const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 200);
const FIRST = Number(process.env['SOAK_SEED'] ?? 1);

/** The lives that a soak lives: `SOAK_ROUNDS` of them (200), from the seed `SOAK_SEED` (1) on. */
export const SEEDS: readonly number[] = Array.from({ length: ROUNDS }, (_, i) => FIRST + i);

/** For names of tests. */
export const WHICH_SEEDS = `seeds ${FIRST} to ${FIRST + ROUNDS - 1}`;
