import { hostname } from 'node:os';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient, createFencedWire, createTraceReporter, runLeaderElection } from '@binnacle/client';
import type { Term } from '@binnacle/client';
import { defaultProfile, startScheduler } from '@binnacle/scheduler';
import type { SchedulerOptions } from '@binnacle/scheduler';
import { UsageError } from '../errors.ts';
import { openWire } from '../host/open-wire.ts';
import { runUntilStopped } from '../host/process.ts';
import { readSchedulerConfig } from '../host/scheduler-config.ts';
import type { SchedulerFile } from '../host/scheduler-config.ts';

/** The flags of `binnacle scheduler`. */
export interface SchedulerFlags {
  readonly kubeconfig?: string;
  readonly schedulerName?: string;
  /** A KubeSchedulerConfiguration. */
  readonly config?: string;
  readonly v: number;
}

/** `binnacle scheduler`: a scheduler alone; a second one beside the default takes another name. */
export async function scheduler(flags: SchedulerFlags): Promise<void> {
  if (flags.config !== undefined && flags.schedulerName !== undefined) {
    throw new UsageError('--scheduler-name and --config exclude each other: name the profiles in the file');
  }
  await runUntilStopped('scheduler', flags.v, (scope, log) => run(flags, scope, log));
}

async function run(flags: SchedulerFlags, scope: Scope, log: Logger): Promise<void> {
  const file = flags.config === undefined ? undefined : await readSchedulerConfig(flags.config, scope);
  const kubeconfig = flags.kubeconfig ?? file?.kubeconfig;
  const profiles = file?.profiles ?? [defaultProfile(flags.schedulerName)];
  const names = profiles.map((p) => p.schedulerName);
  const wire = await openWire(kubeconfig, scope, { userAgent: `binnacle-scheduler/${names.join()}`, log });
  const client = createClient(wire);
  const outside = { clock: realClock, random: secureRandom, log };
  const world = { ...outside, trace: createTraceReporter({ client, world: outside, scope }) };
  const start = async (within: Scope, term?: Term): Promise<void> => {
    const own = term === undefined ? client : createClient(createFencedWire(wire, term));
    await startScheduler({ ...optionsOf(file), client: own, world, scope: within, profiles }).whenReady(within.signal);
    process.stdout.write(`${JSON.stringify({ pid: process.pid, schedulerName: names.join() })}\n`);
  };
  const election = file?.leaderElection;
  if (election === undefined) {
    await start(scope);
    return;
  }
  const identity = `${hostname()}_${secureRandom.uuid()}`;
  runLeaderElection({ client, world, ...election, identity }, scope, (within, term) => {
    within.run('scheduler', () => start(within, term));
  });
}

/** What a file says beside the profiles. */
export function optionsOf(
  file: SchedulerFile | undefined,
): Pick<SchedulerOptions, 'extenders' | 'podInitialBackoffMs' | 'podMaxBackoffMs'> {
  if (file === undefined) return {};
  const { extenders, podInitialBackoffMs, podMaxBackoffMs } = file;
  return { extenders, podInitialBackoffMs, podMaxBackoffMs };
}
