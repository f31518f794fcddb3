import type { ClusterEvent, Plugin, Profile } from './framework.ts';
import { nodeAffinity } from './plugins/node-affinity.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './plugins/node-resources.ts';
import { prioritySort, schedulingGates } from './plugins/queueing.ts';
import { nodeName, nodePorts, nodeUnschedulable } from './plugins/simple-filters.ts';
import { taintToleration } from './plugins/taint-toleration.ts';
import { unsupportedConstraints } from './plugins/unsupported-constraints.ts';

/** The plugins of the default profile, in upstream's order. */
export const DEFAULT_PLUGINS: readonly Plugin[] = [
  schedulingGates,
  prioritySort,
  unsupportedConstraints,
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  nodeResourcesBalancedAllocation,
];

const DEFAULT_WEIGHTS = {
  TaintToleration: 3,
  NodeAffinity: 2,
  NodeResourcesFit: 1,
  NodeResourcesBalancedAllocation: 1,
};

/** The default profile under a scheduler's name. */
export function defaultProfile(schedulerName = 'default-scheduler'): Profile {
  return { schedulerName, plugins: DEFAULT_PLUGINS, weights: DEFAULT_WEIGHTS };
}

/** Whether an event may help a pod that some of a profile's plugins refused; nobody in particular: any event may. */
export function eventWakes(profile: Profile, event: ClusterEvent, refusedBy: ReadonlySet<string>): boolean {
  if (refusedBy.size === 0) return true;
  return profile.plugins.some(
    (plugin) => refusedBy.has(plugin.name) && (plugin.wakesOn === undefined || plugin.wakesOn.includes(event)),
  );
}
