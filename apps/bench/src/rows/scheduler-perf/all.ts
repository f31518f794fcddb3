import type { Measurement } from '../../row.ts';
import { AFFINITY } from './affinity.ts';
import { DEVICES } from './devices.ts';
import { BASIC } from './basic.ts';
import { SPREADING } from './spreading.ts';
import { VOLUMES } from './volumes.ts';
import { measurementOf } from './workload.ts';

/** Every workload of upstream's scheduler_perf that has a floor and needs no alpha feature; the first one is `scheduling`. */
export const schedulerPerf: readonly Measurement[] = [...BASIC, ...SPREADING, ...AFFINITY, ...VOLUMES, ...DEVICES].map(
  measurementOf,
);
