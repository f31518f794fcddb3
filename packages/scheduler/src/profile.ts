import type { EnabledPlugin, PluginFactory, Profile } from './handle.ts';
import { defaultBinder } from './plugins/default-binder.ts';
import { defaultPreemption } from './plugins/default-preemption.ts';
import { dynamicResources } from './plugins/dynamic-resources.ts';
import { imageLocality } from './plugins/image-locality.ts';
import { interPodAffinity } from './plugins/inter-pod-affinity.ts';
import { nodeAffinity } from './plugins/node-affinity.ts';
import { nodeDeclaredFeatures } from './plugins/node-declared-features.ts';
import { nodeName, nodePorts, nodeUnschedulable } from './plugins/node-filters.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './plugins/node-resources.ts';
import { podTopologySpread } from './plugins/pod-topology-spread.ts';
import { prioritySort, schedulingGates } from './plugins/queueing.ts';
import { taintToleration } from './plugins/taint-toleration.ts';
import { volumeBinding } from './plugins/volume-binding.ts';
import { nodeVolumeLimits, volumeRestrictions, volumeZone } from './plugins/volume-filters.ts';

/** The plugins of the default profile, in upstream's order, with their weights. */
export const DEFAULT_PLUGINS: readonly EnabledPlugin[] = [
  { factory: schedulingGates },
  { factory: prioritySort },
  { factory: nodeUnschedulable },
  { factory: nodeName },
  { factory: taintToleration, weight: 3 },
  { factory: nodeAffinity, weight: 2 },
  { factory: nodePorts },
  { factory: nodeResourcesFit, weight: 1 },
  { factory: volumeRestrictions },
  { factory: nodeVolumeLimits },
  { factory: volumeBinding },
  { factory: volumeZone },
  { factory: podTopologySpread, weight: 2 },
  { factory: interPodAffinity, weight: 2 },
  { factory: dynamicResources, weight: 2 },
  { factory: defaultPreemption },
  { factory: nodeResourcesBalancedAllocation, weight: 1 },
  { factory: imageLocality, weight: 1 },
  { factory: nodeDeclaredFeatures },
  { factory: defaultBinder },
];

/** The default profile under a scheduler's name, with plugins of one's own behind the others. */
export function defaultProfile(
  schedulerName = 'default-scheduler',
  own: readonly (PluginFactory | EnabledPlugin)[] = [],
): Profile {
  const added = own.map((plugin) => ('factory' in plugin ? plugin : { factory: plugin }));
  return { schedulerName, plugins: [...DEFAULT_PLUGINS, ...added] };
}
