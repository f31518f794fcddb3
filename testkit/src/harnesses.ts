import type { Harness } from './cluster.ts';
import { inProcess } from './in-process.ts';
import { oneProcess } from './one-process.ts';
import { separateProcesses } from './processes.ts';

/** The three ways to bring up a cluster; every test body runs on each. */
export const harnesses: readonly Harness[] = [inProcess, oneProcess, separateProcesses];
