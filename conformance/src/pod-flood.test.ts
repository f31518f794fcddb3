import { testFlood } from './pod-flood.ts';

await testFlood({ pods: 60, kills: 2, seed: 20_261_122 });
