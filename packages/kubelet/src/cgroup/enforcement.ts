/** Holds all pods of a node together to what they may have, from the start, and tells how that went. */
import { type Clock, type Logger, type Scope, messageOf, sleep } from '@binnacle/base';
import type { EventRecorder } from '@binnacle/client';
import type { Machine } from '../ports.ts';
import { type NodeEvent, tellNodeEvents } from '../registration/node-events.ts';
import { groupText } from './group-text.ts';
import type { NodeGroups } from './node-groups.ts';

export interface EnforcementOptions {
  readonly groups: Pick<NodeGroups, 'enforce'>;
  readonly machine: Pick<Machine, 'setCgroup'>;
  readonly config: { readonly nodeName: string; readonly cgroupRoot: string };
  readonly events?: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly scope: Scope;
}

/** Where pods have more already: until enough of them are evicted. */
const RETRY_MS = 60_000;

/** Tries until it has succeeded. A node without control groups of its own has nothing to hold. */
export function startEnforcement(options: EnforcementOptions): void {
  const { groups, machine, config, events, clock, log, scope } = options;
  if (machine.setCgroup === undefined) return;
  const tell = (event: NodeEvent): void => tellNodeEvents(events, config.nodeName, [event]);
  scope.run('node allocatable', async (signal) => {
    for (;;) {
      try {
        await groups.enforce();
        tell({
          type: 'Normal',
          reason: 'NodeAllocatableEnforced',
          message: 'Updated Node Allocatable limit across pods',
        });
        return;
      } catch (error) {
        const message = `Failed to update Node Allocatable Limits ${groupText(config.cgroupRoot)}: ${messageOf(error)}`;
        log.error(error, 'Failed to hold pods to what they may have together', { root: config.cgroupRoot });
        tell({ type: 'Warning', reason: 'FailedNodeAllocatableEnforcement', message });
      }
      await sleep(clock, RETRY_MS, signal);
    }
  });
}
