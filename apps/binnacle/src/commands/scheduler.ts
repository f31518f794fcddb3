import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient } from '@binnacle/client';
import { defaultProfile, startScheduler } from '@binnacle/scheduler';
import { openWire } from '../host/open-wire.ts';
import { runUntilStopped } from '../host/process.ts';

/** The flags of `binnacle scheduler`. */
export interface SchedulerFlags {
  readonly kubeconfig: string;
  readonly schedulerName: string;
  readonly v: number;
}

/** `binnacle scheduler`: a scheduler alone; a second one beside the default takes another name. */
export async function scheduler(flags: SchedulerFlags): Promise<void> {
  await runUntilStopped('scheduler', flags.v, async (scope, log) => {
    const wire = await openWire(flags.kubeconfig, scope, `binnacle-scheduler/${flags.schedulerName}`);
    const handle = startScheduler({
      client: createClient(wire),
      world: { clock: realClock, random: secureRandom, log },
      scope,
      profiles: [defaultProfile(flags.schedulerName)],
    });
    await handle.whenReady(scope.signal);
    process.stdout.write(`${JSON.stringify({ pid: process.pid, schedulerName: flags.schedulerName })}\n`);
  });
}
