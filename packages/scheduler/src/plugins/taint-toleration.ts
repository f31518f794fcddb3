import { toleratesTaint } from '@binnacle/api';
import { scaleScores } from '../framework.ts';
import type { Plugin, Refusal } from '../framework.ts';
import { isHardTaint } from '../plan/demand.ts';

const REFUSAL: Refusal = {
  plugin: 'TaintToleration',
  reasons: ['node(s) had untolerated taint(s)'],
  unresolvable: true,
};

/** Keeps pods off nodes whose taints they do not tolerate; dislikes PreferNoSchedule taints. */
export const taintToleration: Plugin = {
  name: 'TaintToleration',
  wakesOn: ['NodeAdd', 'NodeUpdate', 'UnscheduledPodUpdate'],
  filter(demand, nodes) {
    // One answer per distinct set of taints, not per node.
    const refused = nodes.taintSets.map((taints) =>
      taints.some((t) => isHardTaint(t) && !demand.tolerations.some((toleration) => toleratesTaint(toleration, t))),
    );
    if (!refused.includes(true)) return undefined;
    const { taintSet } = nodes;
    return (slot) => (refused[taintSet[slot] ?? 0] === true ? REFUSAL : undefined);
  },
  score(demand, nodes) {
    const disliked = nodes.taintSets.map(
      (taints) =>
        taints.filter(
          (t) =>
            t.effect === 'PreferNoSchedule' && !demand.tolerations.some((toleration) => toleratesTaint(toleration, t)),
        ).length,
    );
    if (disliked.every((count) => count === 0)) return undefined;
    const { taintSet } = nodes;
    return (slot) => disliked[taintSet[slot] ?? 0] ?? 0;
  },
  normalizeScore: (scores, length) => scaleScores(scores, length, true),
};
