import { toleratesTaint } from '@binnacle/api';
import type { Taint } from '@binnacle/api/core/v1';
import { scaleScores } from '../plan/framework.ts';
import type { PluginFactory } from '../handle.ts';
import type { Refusal } from '../plan/framework.ts';
import { isHardTaint } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import { noArguments } from './arguments.ts';
import { NODE_TAINTS, OWN_UPDATE } from './queueing-hints.ts';

const REFUSAL: Refusal = {
  plugin: 'TaintToleration',
  reasons: ['node(s) had untolerated taint(s)'],
  unresolvable: true,
};

function tolerates({ tolerations }: PodDemand, taint: Taint): boolean {
  return tolerations.some((toleration) => toleratesTaint(toleration, taint));
}

/** Keeps pods off nodes whose taints they do not tolerate; dislikes PreferNoSchedule taints. */
export const taintToleration: PluginFactory = {
  name: 'TaintToleration',
  create: (_, args) => ({
    name: noArguments('TaintToleration', args),
    isLocal: true,
    wakesOn: [NODE_TAINTS, OWN_UPDATE],
    filter(demand, { nodes }) {
      // One answer per distinct set of taints, not per node.
      const refused = nodes.taintSets.map((taints) => taints.some((t) => isHardTaint(t) && !tolerates(demand, t)));
      if (!refused.includes(true)) return undefined;
      const { taintSet } = nodes;
      return (slot) => (refused[taintSet[slot] ?? 0] === true ? REFUSAL : undefined);
    },
    score(demand, { nodes }) {
      const disliked = nodes.taintSets.map(
        (taints) => taints.filter((t) => t.effect === 'PreferNoSchedule' && !tolerates(demand, t)).length,
      );
      if (disliked.every((count) => count === 0)) return undefined;
      const { taintSet } = nodes;
      return (slot) => disliked[taintSet[slot] ?? 0] ?? 0;
    },
    normalizeScore: (scores, length) => scaleScores(scores, length, true),
  }),
};
