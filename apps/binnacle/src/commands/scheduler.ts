import { hostname } from 'node:os';
import { DEFAULT_FEATURES } from '@binnacle/api';
import type { HealthCheck } from '@binnacle/apiserver';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient, createFencedWire, createTraceReporter, runLeaderElection } from '@binnacle/client';
import type { Election, Term } from '@binnacle/client';
import { defaultProfile, startScheduler } from '@binnacle/scheduler';
import type { SchedulerOptions } from '@binnacle/scheduler';
import { UsageError } from '../errors.ts';
import { electionChecks, failing, createComponentBook, shutdownCheck } from '../host/component-book.ts';
import { openComponentPort, refuseWrongPort } from '../host/component-port.ts';
import type { PortFlags } from '../host/component-port.ts';
import { openWire } from '../host/open-wire.ts';
import { runUntilStopped } from '../host/process.ts';
import { readSchedulerConfig } from '../host/scheduler-config.ts';
import type { SchedulerFile } from '../host/scheduler-config.ts';
import { shownSchedulerConfig } from '../host/shown-scheduler-config.ts';

const SECURE_PORT = 10_259;

/** The flags of `binnacle scheduler`. */
export interface SchedulerFlags extends PortFlags {
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
  refuseWrongPort(flags);
  await runUntilStopped('scheduler', flags.v, (scope, log) => run(flags, scope, log));
}

async function run(flags: SchedulerFlags, scope: Scope, log: Logger): Promise<void> {
  const file = flags.config === undefined ? undefined : await readSchedulerConfig(flags.config, scope);
  const kubeconfig = flags.kubeconfig ?? file?.kubeconfig;
  const profiles = file?.profiles ?? [defaultProfile(flags.schedulerName)];
  const names = profiles.map((p) => p.schedulerName);
  const wire = await openWire(kubeconfig, scope, { userAgent: `binnacle-scheduler/${names.join()}`, log });
  const client = createClient(wire);
  const book = createComponentBook('kube-scheduler', { features: DEFAULT_FEATURES, flags, log });
  const { queues, schedulers, controllers } = book.figures;
  const outside = { clock: realClock, random: secureRandom, log, queues };
  const world = { ...outside, trace: createTraceReporter({ client, world: outside, scope }) };
  const state: State = { scope, election: undefined, starting: false };
  const pages = book.pages({
    health: { healthz: () => electionChecks(state.election), livez: () => [], readyz: () => readiness(state) },
    config: { componentconfig: shownSchedulerConfig({ ...file, kubeconfig, profiles }) },
  });
  const port = { component: 'kube-scheduler', defaultPort: SECURE_PORT, client, pages, world, scope };
  const securePort = await openComponentPort(flags, port);
  const start = async (within: Scope, term?: Term): Promise<void> => {
    const own = term === undefined ? client : createClient(createFencedWire(wire, term));
    const measured = { measures: schedulers, devices: schedulers.devices };
    const options = { ...optionsOf(file), ...measured, client: own, world, scope: within, profiles };
    state.starting = true;
    within.defer(() => void (state.starting = false));
    await startScheduler(options).whenReady(within.signal);
    state.starting = false;
    process.stdout.write(`${JSON.stringify({ pid: process.pid, schedulerName: names.join(), securePort })}\n`);
  };
  const election = file?.leaderElection;
  if (election === undefined) {
    await start(scope);
    return;
  }
  const identity = `${hostname()}_${secureRandom.uuid()}`;
  const stand = { client, world, ...election, identity, figures: controllers.book };
  state.election = runLeaderElection(stand, scope, (within, term) => {
    within.run('scheduler', () => start(within, term));
  });
}

interface State {
  readonly scope: Scope;
  election: Election | undefined;
  /** It has begun, and does not know all nodes and pods yet. */
  starting: boolean;
}

/** One that waits for its turn to lead has nothing to know yet. */
function readiness(state: State): readonly HealthCheck[] {
  const synced = failing('sched-handler-sync', () =>
    state.starting ? 'handlers are not fully synchronized' : undefined,
  );
  return [...electionChecks(state.election), shutdownCheck(state.scope), synced];
}

/** What a file says beside the profiles. */
export function optionsOf(
  file: SchedulerFile | undefined,
): Pick<SchedulerOptions, 'extenders' | 'podInitialBackoffMs' | 'podMaxBackoffMs'> {
  if (file === undefined) return {};
  const { extenders, podInitialBackoffMs, podMaxBackoffMs } = file;
  return { extenders, podInitialBackoffMs, podMaxBackoffMs };
}
