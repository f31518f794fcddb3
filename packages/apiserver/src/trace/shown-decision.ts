import type { HopDetail } from '@binnacle/base';
import type { PodPreemption } from '@binnacle/trace';
import type { Viewer } from './viewer.ts';

/** A decision as a viewer may see it: names of nodes for who may list nodes, of other pods for who may list the pods of their namespaces. */
export async function shownDecision(viewer: Viewer, detail: HopDetail): Promise<HopDetail> {
  const seesNodes = await viewer.mayListNodes();
  const shown = seesNodes ? detail : withoutNodes(detail);
  // As the scheduler of this process made it, or as it was looked at when it was reported.
  const told = detail['preemption'] as PodPreemption | undefined;
  if (told === undefined) return shown;
  const named = await withNamesSeen(viewer, told);
  return { ...shown, preemption: seesNodes ? named : withoutCandidates(named) };
}

/** How many fell and why, no names, no scores. */
function withoutNodes(detail: HopDetail): HopDetail {
  const refused = Array.isArray(detail['refused']) ? (detail['refused'] as readonly object[]) : [];
  return { ...detail, isComplete: false, scored: [], refused: refused.map((one) => ({ ...one, names: [] })) };
}

/** How many candidates there were and how one was chosen; which one says the pod's own status. */
function withoutCandidates(told: PodPreemption): PodPreemption {
  const unsuitable = told.unsuitable.map((one) => ({ ...one, names: [] }));
  return { ...told, unsuitable, listed: [] };
}

/** Pods that the viewer may not list are counted, not named. */
async function withNamesSeen(viewer: Viewer, told: PodPreemption): Promise<PodPreemption> {
  const { listed, steps } = told;
  const namespaces = new Set<string>();
  for (const { named } of listed) for (const { namespace } of named) namespaces.add(namespace);
  for (const { pod } of steps) if (pod !== undefined) namespaces.add(pod.namespace);
  const seen = new Set<string>();
  for (const namespace of namespaces) if (await viewer.mayListPods(namespace)) seen.add(namespace);
  return {
    ...told,
    listed: listed.map((one) => ({ ...one, named: one.named.filter(({ namespace }) => seen.has(namespace)) })),
    steps: steps.map(({ pod, ...step }) => (pod !== undefined && seen.has(pod.namespace) ? { ...step, pod } : step)),
  };
}
