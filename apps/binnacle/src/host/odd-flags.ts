import { refuseUnknownControllers } from './controllers-choice.ts';
import { refuseOpenDashboard } from './dashboard.ts';
import type { ListenAddress } from './listen-address.ts';
import { refuseLonelyFlags } from './lonely-flags.ts';
import { refuseOddServices } from './node-services.ts';
import type { ServiceFlags } from './node-services.ts';
import { etcdChoice } from './store-choice.ts';
import type { EtcdFlags } from './store-choice.ts';
import { traceChoice } from './trace-choice.ts';
import type { TraceChoice } from './trace-choice.ts';

/** Those of `up` that are looked at alone. */
export interface LookedAtFlags extends ServiceFlags, TraceChoice, EtcdFlags {
  readonly controllers?: readonly string[];
  readonly dashboard?: ListenAddress | 'off';
}

/**
 * Throws UsageError for flags that cannot be heeded whatever the machine has: before anything is begun, as who typed them wrongly
 * would otherwise be left with a containerd that runs.
 */
export function refuseOddFlags(flags: LookedAtFlags): void {
  refuseLonelyFlags(flags);
  refuseUnknownControllers(flags.controllers);
  refuseOddServices(flags);
  etcdChoice(flags);
  traceChoice(flags);
  if (flags.dashboard !== undefined && flags.dashboard !== 'off') refuseOpenDashboard(flags.dashboard);
}
