import { matchesNodeSelection, matchesNodeSelectorTerm } from '@binnacle/api';
import type { SelectableNode } from '@binnacle/api';
import type { Node, NodeSelectorTerm, Pod } from '@binnacle/api/core/v1';
import { scaleScores } from '../framework.ts';
import type { Plugin, Refusal } from '../framework.ts';

const REFUSAL: Refusal = {
  plugin: 'NodeAffinity',
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  unresolvable: true,
};

function selectable(node: Node): SelectableNode {
  return { name: node.metadata.name ?? '', labels: node.metadata.labels };
}

/** The node names that a term is tied to by `matchFields`, or undefined when it is open. */
function namesOf(term: NodeSelectorTerm): readonly string[] | undefined {
  const exact = (term.matchFields ?? []).find((f) => f.key === 'metadata.name' && f.operator === 'In');
  return exact?.values;
}

function requiredTerms(pod: Pod): readonly NodeSelectorTerm[] | undefined {
  return pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

/** Node selector and node affinity: required terms filter, preferred terms score. */
export const nodeAffinity: Plugin = {
  name: 'NodeAffinity',
  wakesOn: ['NodeAdd', 'NodeUpdate', 'UnscheduledPodUpdate'],
  preFilter(demand) {
    const terms = requiredTerms(demand.pod);
    if (terms === undefined || terms.length === 0) return undefined;
    const names = terms.map(namesOf);
    if (names.includes(undefined)) return undefined;
    return { nodes: new Set(names.flatMap((n) => n ?? [])) };
  },
  filter(demand, nodes) {
    const { nodeSelector, affinity } = demand.pod.spec;
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (nodeSelector === undefined && required === undefined) return undefined;
    return (slot) => {
      const node = nodes.nodes[slot];
      return node !== undefined && matchesNodeSelection(demand.pod, selectable(node)) ? undefined : REFUSAL;
    };
  },
  score(demand, nodes) {
    const preferred = demand.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferred.length === 0) return undefined;
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
  },
  normalizeScore: (scores, length) => scaleScores(scores, length),
};
