import { fileURLToPath } from 'node:url';

/** `binnacle` out of the sources: each start of it costs a second of the processor. */
export const SOURCES = fileURLToPath(new URL('../../apps/binnacle/launch.mjs', import.meta.url));

/** What tests start as `binnacle`: the program that was built for this run (`npm test` does, tools/tiers/program.ts), else the sources. */
export const LAUNCHER = process.env['BINNACLE_PROGRAM'] ?? SOURCES;
