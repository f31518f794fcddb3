import { toleratesTaint } from '@binnacle/api';
import type { Taint } from '@binnacle/api/core/v1';
import type { Plugin, Refusal } from '../framework.ts';
import { portsConflict } from '../plan/demand.ts';

function refusal(plugin: string, reason: string, unresolvable: boolean): Refusal {
  return { plugin, reasons: [reason], unresolvable };
}

const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const UNSCHEDULABLE = refusal('NodeUnschedulable', 'node(s) were unschedulable', true);
const OTHER_NAME = refusal('NodeName', "node(s) didn't match the requested node name", true);
const PORT_TAKEN = refusal('NodePorts', "node(s) didn't have free ports for the requested pod ports", false);

/** Cordoned nodes take no new pods, but those that tolerate it. */
export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  wakesOn: ['NodeAdd', 'NodeUpdate', 'UnscheduledPodUpdate'],
  filter(demand, nodes) {
    if (demand.tolerations.some((t) => toleratesTaint(t, UNSCHEDULABLE_TAINT))) return undefined;
    const { unschedulable } = nodes;
    return (slot) => (unschedulable[slot] === 1 ? UNSCHEDULABLE : undefined);
  },
};

/** A pod that names its node goes nowhere else. */
export const nodeName: Plugin = {
  name: 'NodeName',
  wakesOn: ['NodeAdd', 'UnscheduledPodUpdate'],
  filter(demand, nodes) {
    const wanted = demand.pod.spec.nodeName;
    if (wanted === undefined || wanted === '') return undefined;
    return (slot) => (nodes.nameOf(slot) === wanted ? undefined : OTHER_NAME);
  },
};

/** The host ports that the pod wants are free. */
export const nodePorts: Plugin = {
  name: 'NodePorts',
  wakesOn: ['NodeAdd', 'AssignedPodDelete', 'UnscheduledPodUpdate'],
  filter(demand, nodes) {
    const wanted = demand.hostPorts;
    if (wanted.length === 0) return undefined;
    return (slot) => {
      const used = nodes.portsOf(slot);
      return used.some((u) => wanted.some((w) => portsConflict(u, w))) ? PORT_TAKEN : undefined;
    };
  },
};
