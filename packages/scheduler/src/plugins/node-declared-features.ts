import { featuresToPlace, undeclaredFeatures } from '@binnacle/api';
import type { PluginFactory } from '../handle.ts';
import type { QueueingHint, Refusal } from '../plan/framework.ts';
import { noArguments } from './arguments.ts';
import { NOBODY, nodesOf, OWN_UPDATE } from './queueing-hints.ts';

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
  reaches(event) {
    const { before, after } = nodesOf(event);
    const of = (node: typeof before): string => (node?.status?.declaredFeatures ?? []).join();
    return before !== undefined && of(before) === of(after) ? NOBODY : 'all';
  },
};

/** Pods go only where the kubelet says that it can do what they ask for. */
export const nodeDeclaredFeatures: PluginFactory = {
  name: NAME,
  create: (_, args) => ({
    name: noArguments(NAME, args),
    wakesOn: [NODE_FEATURES, OWN_UPDATE],
    filter({ pod }, { nodes }) {
      const required = featuresToPlace(pod);
      if (required.length === 0) return undefined;
      return (slot) => (undeclaredFeatures(required, nodes.nodes[slot]).length === 0 ? undefined : UNDECLARED);
    },
  }),
};
