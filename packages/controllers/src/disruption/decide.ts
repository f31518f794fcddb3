import { scaledValue } from '@binnacle/machinery';
import type { Condition } from '@binnacle/machinery';
import { isPodReady, isPodTerminating } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@binnacle/api/policy/v1';

/** An eviction that was granted is believed for so long; a pod that is there after that was not deleted. */
export const DELETION_TIMEOUT_MS = 2 * 60_000;

/** A budget, the pods that it selects, and how many there should be by the word of their controllers. */
export interface BudgetSeen {
  readonly budget: PodDisruptionBudget;
  readonly pods: readonly Pod[];
  /** Asked only where the budget is relative; undefined when it cannot be told. */
  readonly expectedScale: number;
  /** RFC 3339 and ms since the epoch, the same moment. */
  readonly now: string;
  readonly nowMs: number;
}

/** Whether the budget is a share of what there should be, or of what is missing: then controllers are asked. */
export function isRelative({ spec }: PodDisruptionBudget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';
}

/** What the budget reports; the very status from before when nothing in it changes. */
export function budgetStatus(seen: BudgetSeen): PodDisruptionBudgetStatus {
  const { budget, pods } = seen;
  const { expected, desired } = countsOf(seen);
  const disruptedPods = stillDisrupted(seen);
  const healthy = pods.filter(
    (pod) => !isPodTerminating(pod) && isPodReady(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name ?? ''),
  ).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const condition = {
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    status: allowed > 0 ? ('True' as const) : ('False' as const),
    message: '',
  };
  return withStatus(seen, {
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    observedGeneration: budget.metadata.generation ?? 0,
    conditions: conditionsWith(seen, condition),
  });
}

/** What is reported when it cannot be told how many pods there should be: no eviction is allowed. */
export function failedStatus(seen: Omit<BudgetSeen, 'expectedScale'>, message: string): PodDisruptionBudgetStatus {
  const before = seen.budget.status;
  const condition = { reason: 'SyncFailed', status: 'False' as const, message };
  return withStatus(seen, {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...before,
    disruptionsAllowed: 0,
    observedGeneration: seen.budget.metadata.generation ?? 0,
    conditions: conditionsWith(seen, condition),
  });
}

/** Pods whose eviction was granted, that time enough has passed for, and that are there all the same. */
export function overdue({ budget, pods, nowMs }: Pick<BudgetSeen, 'budget' | 'pods' | 'nowMs'>): readonly Pod[] {
  const granted = budget.status?.disruptedPods ?? {};
  return pods.filter((pod) => {
    const at = Object.hasOwn(granted, pod.metadata.name ?? '') ? granted[pod.metadata.name ?? ''] : undefined;
    return at !== undefined && !isPodTerminating(pod) && Date.parse(at) + DELETION_TIMEOUT_MS <= nowMs;
  });
}

/** Until a granted eviction is given up, ms; undefined when none is waited for. */
export function recheckMs({ budget, nowMs }: Pick<BudgetSeen, 'budget' | 'nowMs'>): number | undefined {
  let soonest: number | undefined;
  for (const at of Object.values(budget.status?.disruptedPods ?? {})) {
    const wait = Date.parse(at) + DELETION_TIMEOUT_MS - nowMs;
    if (wait > 0) soonest = Math.min(wait, soonest ?? wait);
  }
  return soonest;
}

function countsOf({ budget, pods, expectedScale }: BudgetSeen): {
  readonly expected: number;
  readonly desired: number;
} {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) {
    const most = scaledValue(maxUnavailable, expectedScale, 'up') ?? 0;
    return { expected: expectedScale, desired: Math.max(0, expectedScale - most) };
  }
  if (typeof minAvailable === 'string') {
    return { expected: expectedScale, desired: scaledValue(minAvailable, expectedScale, 'up') ?? 0 };
  }
  return { expected: pods.length, desired: minAvailable ?? 0 };
}

/** Granted evictions of pods that are still there, not going yet, and not overdue. */
function stillDisrupted({ budget, pods, nowMs }: BudgetSeen): { readonly [pod: string]: string } {
  const waiting = new Set(pods.filter((pod) => !isPodTerminating(pod)).map((pod) => pod.metadata.name ?? ''));
  const kept = Object.entries(budget.status?.disruptedPods ?? {}).filter(
    ([name, at]) => waiting.has(name) && Date.parse(at) + DELETION_TIMEOUT_MS > nowMs,
  );
  return Object.fromEntries(kept);
}

function conditionsWith(
  { budget, now }: Pick<BudgetSeen, 'budget' | 'now'>,
  of: Pick<Condition, 'reason' | 'status' | 'message'>,
): readonly Condition[] {
  const type = 'DisruptionAllowed';
  const conditions = budget.status?.conditions ?? [];
  const before = conditions.find((one) => one.type === type);
  const turned = before === undefined || before.status !== of.status;
  const lastTransitionTime = turned ? now : before.lastTransitionTime;
  const observedGeneration = budget.metadata.generation ?? 0;
  return [...conditions.filter((one) => one !== before), { type, ...of, lastTransitionTime, observedGeneration }];
}

function withStatus(
  { budget }: Pick<BudgetSeen, 'budget'>,
  after: PodDisruptionBudgetStatus,
): PodDisruptionBudgetStatus {
  const { status } = budget;
  const textOf = (one: PodDisruptionBudgetStatus | undefined): string =>
    JSON.stringify([
      one?.disruptionsAllowed,
      one?.currentHealthy,
      one?.desiredHealthy,
      one?.expectedPods,
      Object.entries(one?.disruptedPods ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
      one?.observedGeneration,
      (one?.conditions ?? []).map((each) => [each.type, each.status, each.reason, each.message]),
    ]);
  return status !== undefined && textOf(status) === textOf(after) ? status : after;
}
