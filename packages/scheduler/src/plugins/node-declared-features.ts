import type { Pod } from '@binnacle/api/core/v1';
import type { PluginFactory } from '../handle.ts';
import type { QueueingHint, Refusal } from '../plan/framework.ts';
import { noArguments } from './arguments.ts';
import { nodesOf, OWN_UPDATE } from './queueing-hints.ts';

const NAME = 'NodeDeclaredFeatures';
const UNDECLARED: Refusal = {
  plugin: NAME,
  reasons: ["node(s) didn't match Pod's required features"],
  unresolvable: true,
};

/** A node came, or declares other features. */
const NODE_FEATURES: QueueingHint = {
  resource: 'nodes',
  actions: ['add', 'update'],
  mayHelp: (_, event) => {
    const { before, after } = nodesOf(event);
    const of = (node: typeof before): string => (node?.status?.declaredFeatures ?? []).join();
    return before === undefined || of(before) !== of(after);
  },
};

/** The features that a node's kubelet must declare before it may have the pod, by v1.36's rules for pods that are placed. */
export function requiredFeatures({ spec }: Pod): readonly string[] {
  const required: string[] = [];
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  if (containers.some((c) => c.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'))) {
    required.push('RestartAllContainersOnContainerExits');
  }
  if (spec.hostNetwork === true && spec.hostUsers === false) required.push('UserNamespacesHostNetworkSupport');
  return required;
}

/** Pods go only where the kubelet says that it can do what they ask for. */
export const nodeDeclaredFeatures: PluginFactory = {
  name: NAME,
  create: (_, args) => ({
    name: noArguments(NAME, args),
    wakesOn: [NODE_FEATURES, OWN_UPDATE],
    filter({ pod }, { nodes }) {
      const required = requiredFeatures(pod);
      if (required.length === 0) return undefined;
      return (slot) => {
        const declared = nodes.nodes[slot]?.status?.declaredFeatures ?? [];
        return required.every((feature) => declared.includes(feature)) ? undefined : UNDECLARED;
      };
    },
  }),
};
