import { matchesNodeSelector, matchesNodeSelectorTerm, nodeSelectionOf } from '@binnacle/api';
import type { SelectableNode } from '@binnacle/api';
import type {
  Node,
  NodeAffinity,
  NodeSelector,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
} from '@binnacle/api/core/v1';
import { scaleScores } from '../plan/framework.ts';
import type { PluginFactory } from '../handle.ts';
import type { NodeScore, NodeTest, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { NodeColumns } from '../plan/node-columns.ts';
import { argumentsOf } from './arguments.ts';
import { selectable } from './pod-volumes.ts';
import { nodesOf, OWN_UPDATE } from './queueing-hints.ts';

/** Arguments of NodeAffinity (kubescheduler.config.k8s.io/v1 NodeAffinityArgs). */
export interface NodeAffinityArgs {
  /** Applied to every pod of the profile, on top of its own. */
  readonly addedAffinity?: NodeAffinity;
}

const REFUSAL: Refusal = {
  plugin: 'NodeAffinity',
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  unresolvable: true,
};
const ENFORCED: Refusal = {
  plugin: 'NodeAffinity',
  reasons: ["node(s) didn't match scheduler-enforced node affinity"],
  unresolvable: true,
};

/** The node names that a term is tied to by `matchFields`, or undefined when it is open. */
function namesOf(term: NodeSelectorTerm): readonly string[] | undefined {
  const exact = (term.matchFields ?? []).find((f) => f.key === 'metadata.name' && f.operator === 'In');
  return exact?.values;
}

function requiredTerms(pod: Pod): readonly NodeSelectorTerm[] | undefined {
  return pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

function narrow(demand: PodDemand): { readonly nodes: ReadonlySet<string> } | undefined {
  const terms = requiredTerms(demand.pod);
  if (terms === undefined || terms.length === 0) return undefined;
  const names = terms.map(namesOf);
  if (names.includes(undefined)) return undefined;
  return { nodes: new Set(names.flatMap((n) => n ?? [])) };
}

function filter(demand: PodDemand, nodes: NodeColumns, enforced: NodeSelector | undefined): NodeTest | undefined {
  const { nodeSelector, affinity } = demand.pod.spec;
  const own = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (nodeSelector === undefined && own === undefined && enforced === undefined) return undefined;
  const isMeant = nodeSelectionOf(demand.pod);
  return (slot) => {
    const node = nodes.nodes[slot];
    return node === undefined ? REFUSAL : refusalOf(isMeant, node, enforced);
  };
}

/** `enforced`: what the profile asks of the nodes of all its pods. */
function refusalOf(
  isMeant: (node: SelectableNode) => boolean,
  node: Node,
  enforced: NodeSelector | undefined,
): Refusal | undefined {
  const seen = selectable(node);
  if (enforced !== undefined && !matchesNodeSelector(enforced, seen)) return ENFORCED;
  return isMeant(seen) ? undefined : REFUSAL;
}

function score(nodes: NodeColumns, preferred: readonly PreferredSchedulingTerm[]): NodeScore {
  return (slot) => {
    const node = nodes.nodes[slot];
    if (node === undefined) return 0;
    const seen = selectable(node);
    let sum = 0;
    for (const { weight, preference } of preferred) {
      if (weight !== 0 && matchesNodeSelectorTerm(preference, seen)) sum += weight;
    }
    return sum;
  };
}

/** Node selector and node affinity: required terms filter, preferred terms score. */
export const nodeAffinity: PluginFactory = {
  name: 'NodeAffinity',
  create(_, args) {
    const { addedAffinity } = argumentsOf<NodeAffinityArgs>(args, {});
    const enforced = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const addedTerms = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return {
      name: 'NodeAffinity',
      isLocal: true,
      wakesOn: [
        OWN_UPDATE,
        {
          resource: 'nodes',
          actions: ['add', 'update'],
          mayHelp: (demand, event) => {
            const { before, after } = nodesOf(event);
            const isMeant = nodeSelectionOf(demand.pod);
            const takes = (node: Node | undefined): boolean =>
              node !== undefined && refusalOf(isMeant, node, enforced) === undefined;
            return takes(after) && !takes(before);
          },
        },
      ],
      preFilter: narrow,
      filter: (demand, { nodes }) => filter(demand, nodes, enforced),
      score(demand, { nodes }) {
        const own = demand.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
        const preferred = addedTerms.length === 0 ? own : [...own, ...addedTerms];
        return preferred.length === 0 ? undefined : score(nodes, preferred);
      },
      normalizeScore: (scores, length) => scaleScores(scores, length),
    };
  },
};
