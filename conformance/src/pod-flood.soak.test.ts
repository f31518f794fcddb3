import { testFlood } from './pod-flood.ts';

/** `SOAK_PODS` says how many; a hundred take about two minutes on two busy processors, with four kills. */
const pods = Number(process.env['SOAK_PODS'] ?? 500);

await testFlood({ pods, kills: Math.ceil(pods / 25), seed: Date.now() });
