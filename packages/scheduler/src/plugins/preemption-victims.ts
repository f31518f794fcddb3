import type { Pod } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { matchesLabels, storedSelector } from '@binnacle/machinery';
import type { Selector } from '@binnacle/machinery';
import type { Failure, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { NAMED, podNameOf } from '../plan/preemption-tale.ts';
import type { Criterion, ExplainedCandidate, ExplainedChoice } from '../plan/preemption-tale.ts';

/** A node on which the pod would fit without some pods. */
export interface Candidate {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly PodDemand[];
  /** How many of them a disruption budget protects. */
  readonly budgetViolations: number;
}

/** No pod on the node is less important. */
export const NO_VICTIMS: Refusal = {
  plugin: 'DefaultPreemption',
  reasons: ['No preemption victims found for incoming pod'],
  unresolvable: true,
};

/** A disruption budget as it is counted down. */
export interface Budget {
  readonly namespace: string;
  readonly selector: Selector;
  /** Pods whose disruption is counted already. */
  readonly disrupted: ReadonlySet<string>;
  readonly allowed: number;
}

/** Reads budgets; those without a selector protect nobody. */
export function readBudgets(budgets: readonly PodDisruptionBudget[]): Budget[] {
  return budgets.flatMap(({ metadata, spec, status }) => {
    const selector = storedSelector(spec?.selector);
    if (selector.requirements.length === 0) return [];
    return [
      {
        namespace: metadata.namespace ?? '',
        selector,
        disrupted: new Set(Object.keys(status?.disruptedPods ?? {})),
        allowed: status?.disruptionsAllowed ?? 0,
      },
    ];
  });
}

/** When a pod was started; one that was not counts as started now. */
function startedAt({ status }: Pod, nowMs: number): number {
  return status?.startTime === undefined ? nowMs : Date.parse(status.startTime);
}

/** Higher priority first, then who runs longer. */
export function byImportance(nowMs: number): (a: PodDemand, b: PodDemand) => number {
  return (a, b) => b.priority - a.priority || startedAt(a.pod, nowMs) - startedAt(b.pod, nowMs);
}

/** Splits pods, the most important first, into those whose end would violate a budget and the rest. */
export function splitByBudget(
  pods: readonly PodDemand[],
  budgets: readonly Budget[],
): { readonly violating: PodDemand[]; readonly others: PodDemand[] } {
  const left = budgets.map((b) => b.allowed);
  const violating: PodDemand[] = [];
  const others: PodDemand[] = [];
  for (const demand of pods) {
    const { namespace = '', name = '', labels = {} } = demand.pod.metadata;
    // Whoever has no labels is in no budget, whatever its selector.
    const hasLabels = Object.keys(labels).length > 0;
    let violates = false;
    for (const [i, budget] of budgets.entries()) {
      if (budget.namespace !== namespace || budget.disrupted.has(name)) continue;
      if (!hasLabels || !matchesLabels(budget.selector, labels)) continue;
      left[i] = (left[i] ?? 0) - 1;
      violates ||= left[i]! < 0;
    }
    (violates ? violating : others).push(demand);
  }
  return { violating, others };
}

/** The pod that needs room on one node. */
export interface VictimSearch {
  readonly demand: PodDemand;
  readonly node: string;
  readonly slot: number;
  readonly pods: readonly PodDemand[];
  readonly budgets: readonly Budget[];
  readonly failure: Failure;
  readonly nowMs: number;
}

/**
 * The fewest and least important pods without which the pod fits on a node: all less important ones are taken away,
 * then one after the other put back where the pod still fits, those with a budget first.
 */
export function selectVictims(search: VictimSearch): Candidate | Refusal {
  const { demand, slot, failure, budgets, nowMs } = search;
  const lower = search.pods.filter((p) => p.priority < demand.priority).sort(byImportance(nowMs));
  if (lower.length === 0) return NO_VICTIMS;
  return failure.simulate((simulation): Candidate | Refusal => {
    for (const pod of lower) simulation.remove(pod.uid);
    const refusal = failure.test(slot);
    if (refusal !== undefined) return refusal;
    const { violating, others } = splitByBudget(lower, budgets);
    const victims: PodDemand[] = [];
    /** For whom there was no room beside those who are back by now: there is none for their like, which need not be tried. */
    let refused: PodDemand[] = [];
    const reprieve = (pod: PodDemand): boolean => {
      if (refused.some((one) => areAlike(one, pod))) {
        victims.push(pod);
        return false;
      }
      simulation.putBack(pod.uid);
      const why = failure.test(slot);
      if (why === undefined) {
        refused = [];
        return true;
      }
      simulation.remove(pod.uid);
      victims.push(pod);
      if (failure.isOfNodeAlone(why)) refused.push(pod);
      return false;
    };
    const budgetViolations = violating.filter((pod) => !reprieve(pod)).length;
    for (const pod of others) reprieve(pod);
    return { node: search.node, victims: victims.sort(byImportance(nowMs)), budgetViolations };
  });
}

/** Whether two pods of one node take the same of it, and look the same to others. */
function areAlike(a: PodDemand, b: PodDemand): boolean {
  return a.shape === b.shape && a.cohort === b.cohort;
}

type Figure = (candidate: Candidate, nowMs: number) => number;

/** What makes a sum of priorities grow with every pod, also with those below zero. */
const PRIORITY_SHIFT = 2 ** 31;

const highestPriority: Figure = ({ victims }) => victims[0]?.priority ?? -Infinity;
const prioritySum: Figure = ({ victims }) => victims.reduce((sum, v) => sum + v.priority + PRIORITY_SHIFT, 0);

/** When the first of the most important victims started. */
const firstStart: Figure = ({ victims }, nowMs) =>
  victims
    .filter((v) => v.priority === victims[0]?.priority)
    .reduce((first, v) => Math.min(first, startedAt(v.pod, nowMs)), Infinity);

/** What a candidate costs by each criterion; the least is the best. */
const FIGURES: readonly (readonly [by: Criterion, figure: Figure])[] = [
  ['fewestBudgetViolations', (c) => c.budgetViolations],
  ['lowestHighestPriority', highestPriority],
  ['lowestPrioritySum', prioritySum],
  ['fewestVictims', (c) => c.victims.length],
  ['latestStart', (c, nowMs) => -firstStart(c, nowMs)],
];

/** A candidate with the figures by which it is compared. */
export function explainCandidate(candidate: Candidate, nowMs: number): ExplainedCandidate {
  const { node, victims, budgetViolations } = candidate;
  return {
    ...{ node, victims: victims.length, budgetViolations },
    named: victims.slice(0, NAMED.victims).map((victim) => ({ ...podNameOf(victim), priority: victim.priority })),
    prioritySum: prioritySum(candidate, nowMs),
    ...(victims.length === 0
      ? {}
      : { highestPriority: highestPriority(candidate, nowMs), startedAtMs: firstStart(candidate, nowMs) }),
  };
}

/** Which candidate was chosen, and how. */
export interface Choice {
  readonly chosen: Candidate | undefined;
  readonly choice: readonly ExplainedChoice[];
}

/**
 * The candidate that costs least: fewest violated budgets; least important of the most important victims; lowest sum
 * of priorities; fewest victims; whose most important victims started latest; the first.
 */
export function pickCandidate(candidates: readonly Candidate[], nowMs: number): Choice {
  let left = candidates;
  const choice: ExplainedChoice[] = [];
  for (const [by, figure] of FIGURES) {
    if (left.length <= 1) break;
    left = keepLowest(left, (candidate) => figure(candidate, nowMs));
    choice.push({ by, left: left.length });
  }
  if (left.length > 1) choice.push({ by: 'first', left: 1 });
  return { chosen: left[0], choice };
}

/** Keeps the candidates for which a figure is the smallest. */
function keepLowest(candidates: readonly Candidate[], figure: (candidate: Candidate) => number): readonly Candidate[] {
  const figures = candidates.map(figure);
  const lowest = figures.reduce((a, b) => Math.min(a, b), Infinity);
  return candidates.filter((_, i) => figures[i] === lowest);
}
