import type { PluginFactory } from '../handle.ts';
import { noArguments } from './arguments.ts';
import { OWN_UPDATE } from './queueing-hints.ts';

/** Higher priority first; among equals, who came first. */
export const prioritySort: PluginFactory = {
  name: 'PrioritySort',
  create: (_, args) => ({
    name: noArguments('PrioritySort', args),
    queueSort: (a, b) => b.demand.priority - a.demand.priority || a.since - b.since,
  }),
};

/** Pods with scheduling gates wait until all are taken off. */
export const schedulingGates: PluginFactory = {
  name: 'SchedulingGates',
  create: (_, args) => ({
    name: noArguments('SchedulingGates', args),
    wakesOn: [OWN_UPDATE],
    preEnqueue(demand) {
      const gates = demand.pod.spec.schedulingGates ?? [];
      if (gates.length === 0) return undefined;
      const names = gates.map((g) => g.name).join(' ');
      return {
        plugin: 'SchedulingGates',
        reasons: [`waiting for scheduling gates: [${names}]`],
        unresolvable: true,
      };
    },
  }),
};
