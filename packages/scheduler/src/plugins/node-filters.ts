import { toleratesTaint, wellknown } from '@binnacle/api';
import type { Taint } from '@binnacle/api/core/v1';
import type { PluginFactory } from '../handle.ts';
import type { Refusal } from '../plan/framework.ts';
import { hostPortsOf, portsConflict } from '../plan/demand.ts';
import { noArguments } from './arguments.ts';
import { NODE_ADDED, NODE_TAINTS, OWN_UPDATE, podsOf } from './queueing-hints.ts';

function refusal(plugin: string, reason: string, unresolvable: boolean): Refusal {
  return { plugin, reasons: [reason], unresolvable };
}

const UNSCHEDULABLE_TAINT: Taint = { key: wellknown.TAINT_UNSCHEDULABLE, effect: 'NoSchedule' };
const UNSCHEDULABLE = refusal('NodeUnschedulable', 'node(s) were unschedulable', true);
const OTHER_NAME = refusal('NodeName', "node(s) didn't match the requested node name", true);
const PORT_TAKEN = refusal('NodePorts', "node(s) didn't have free ports for the requested pod ports", false);

/** Cordoned nodes take no new pods, but those that tolerate it. */
export const nodeUnschedulable: PluginFactory = {
  name: 'NodeUnschedulable',
  create: (_, args) => ({
    name: noArguments('NodeUnschedulable', args),
    isLocal: true,
    wakesOn: [NODE_TAINTS, OWN_UPDATE],
    filter(demand, { nodes }) {
      if (demand.tolerations.some((t) => toleratesTaint(t, UNSCHEDULABLE_TAINT))) return undefined;
      const { unschedulable } = nodes;
      return (slot) => (unschedulable[slot] === 1 ? UNSCHEDULABLE : undefined);
    },
  }),
};

/** A pod that names its node goes nowhere else. */
export const nodeName: PluginFactory = {
  name: 'NodeName',
  create: (_, args) => ({
    name: noArguments('NodeName', args),
    isLocal: true,
    wakesOn: [NODE_ADDED, OWN_UPDATE],
    filter(demand, { nodes }) {
      const wanted = demand.pod.spec.nodeName;
      if (wanted === undefined || wanted === '') return undefined;
      return (slot) => (nodes.nameOf(slot) === wanted ? undefined : OTHER_NAME);
    },
  }),
};

/** The host ports that the pod wants are free. */
export const nodePorts: PluginFactory = {
  name: 'NodePorts',
  create: (_, args) => ({
    name: noArguments('NodePorts', args),
    isLocal: true,
    wakesOn: [
      NODE_ADDED,
      OWN_UPDATE,
      {
        resource: 'pods',
        actions: ['delete'],
        mayHelp: (demand, event) => {
          const { before } = podsOf(event);
          if (before === undefined) return true;
          return hostPortsOf(before).some((freed) => demand.hostPorts.some((wanted) => portsConflict(freed, wanted)));
        },
      },
    ],
    filter(demand, { nodes }) {
      const wanted = demand.hostPorts;
      if (wanted.length === 0) return undefined;
      return (slot) => {
        const used = nodes.portsOf(slot);
        return used.some((u) => wanted.some((w) => portsConflict(u, w))) ? PORT_TAKEN : undefined;
      };
    },
  }),
};
