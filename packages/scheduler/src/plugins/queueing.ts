import type { Plugin } from '../framework.ts';

/** Higher priority first; among equals, who came first. */
export const prioritySort: Plugin = {
  name: 'PrioritySort',
  queueSort: (a, b) => b.demand.priority - a.demand.priority || a.since - b.since,
};

/** Pods with scheduling gates wait until all are taken off. */
export const schedulingGates: Plugin = {
  name: 'SchedulingGates',
  wakesOn: ['UnscheduledPodUpdate'],
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
};
