/** What becomes of a proposal: steadied by those before it, then held within what may change at once. */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@binnacle/api/autoscaling/v2';
import type { PastOfOne, ScaleChange } from './history.ts';

/** What is to be limited. */
export interface Wish {
  readonly current: number;
  readonly proposed: number;
  readonly min: number;
  readonly max: number;
  readonly past: PastOfOne;
  readonly nowMs: number;
  /** `--horizontal-pod-autoscaler-downscale-stabilization`, ms. Absent: five minutes. */
  readonly stabilizationMs?: number;
}

/** Reason and message of a condition. */
export interface Word {
  readonly reason: string;
  readonly message: string;
}

/** The number to go to, and what to say about it. */
export interface Limited {
  readonly replicas: number;
  /** Of AbleToScale. */
  readonly able: Word;
  /** Of ScalingLimited, which is True when `isLimited`. */
  readonly limit: Word;
  readonly isLimited: boolean;
}

const DOWNSCALE_STABILIZATION_MS = 300_000;
const LEAST_LIMIT = 4;
const LIMIT_FACTOR = 2;

const READY: Word = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const DOWN_STEADIED: Word = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const UP_STEADIED: Word = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const WITHIN: Word = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const TOO_MANY: Word = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FEW: Word = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const UP_LIMIT: Word = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_LIMIT: Word = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** Limits a proposal by the autoscaler's behaviour, or by what holds without one. */
export function limit(wish: Wish, behavior: HorizontalPodAutoscalerBehavior | undefined): Limited {
  const { up, down } = rulesOf(behavior);
  const steadied = behavior === undefined ? steadyDown(wish) : steady(wish, { up, down });
  const able =
    steadied === wish.proposed
      ? READY
      : behavior !== undefined && wish.proposed >= wish.current
        ? UP_STEADIED
        : DOWN_STEADIED;
  const wanted = { ...wish, proposed: steadied };
  const [replicas, word] = behavior === undefined ? withinFactor(wanted) : withinRates(wanted, { up, down });
  return { replicas, able, limit: word, isLimited: replicas !== steadied };
}

interface Rules {
  readonly up: HPAScalingRules;
  readonly down: HPAScalingRules;
}

function rulesOf(behavior: HorizontalPodAutoscalerBehavior | undefined): Rules {
  return { up: behavior?.scaleUp ?? {}, down: behavior?.scaleDown ?? {} };
}

/** Without a behaviour only the way down is steadied. */
function steadyDown({ proposed, past, nowMs, stabilizationMs = DOWNSCALE_STABILIZATION_MS }: Wish): number {
  const recent = past.recommendations.filter(({ atMs }) => atMs >= nowMs - stabilizationMs);
  return recent.reduce((highest, { replicas }) => Math.max(highest, replicas), proposed);
}

function steady(wish: Wish, { up, down }: Rules): number {
  const { current, proposed, past, nowMs, stabilizationMs = DOWNSCALE_STABILIZATION_MS } = wish;
  const upMs = (up.stabilizationWindowSeconds ?? 0) * 1000;
  const downMs =
    down.stabilizationWindowSeconds === undefined ? stabilizationMs : down.stabilizationWindowSeconds * 1000;
  let lowest = proposed;
  let highest = proposed;
  for (const { replicas, atMs } of past.recommendations) {
    if (atMs > nowMs - upMs) lowest = Math.min(lowest, replicas);
    if (atMs > nowMs - downMs) highest = Math.max(highest, replicas);
  }
  return Math.min(Math.max(current, lowest), highest);
}

/** Without a behaviour: at most twice as many at once, or four. */
function withinFactor({ current, proposed, min, max }: Wish): readonly [number, Word] {
  const rate = Math.max(LIMIT_FACTOR * current, LEAST_LIMIT);
  if (proposed < min) return [min, TOO_FEW];
  return atMost(proposed, max, rate);
}

function withinRates(wish: Wish, { up, down }: Rules): readonly [number, Word] {
  const { current, proposed, min, max } = wish;
  if (proposed > current) {
    const rate = Math.max(current, rateLimit(wish, up, 1));
    return atMost(proposed, max, rate);
  }
  if (proposed === current) return [proposed, WITHIN];
  const rate = Math.min(current, rateLimit(wish, down, -1));
  const [lowest, word] = min < rate ? ([rate, DOWN_LIMIT] as const) : ([min, TOO_FEW] as const);
  return proposed < lowest ? [lowest, word] : [proposed, WITHIN];
}

/** Held below the autoscaler's own ceiling, or below what may be added at once, whichever comes first. */
function atMost(proposed: number, max: number, rate: number): readonly [number, Word] {
  const [highest, word] = max > rate ? ([rate, UP_LIMIT] as const) : ([max, TOO_MANY] as const);
  return proposed > highest ? [highest, word] : [proposed, WITHIN];
}

/** How far the policies let a target go in one direction: 1 up, -1 down. */
function rateLimit({ current, past, nowMs }: Wish, rules: HPAScalingRules, direction: 1 | -1): number {
  const { selectPolicy = 'Max', policies = [] } = rules;
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = current - changeSince(past.changes, nowMs - periodSeconds * 1000);
    if (type === 'Pods') return start + direction * value;
    // Rounded up on the way up, so that a small target grows at all; cut on the way down.
    const share = start * (1 + (direction * value) / 100);
    return direction === 1 ? Math.ceil(share) : Math.trunc(share);
  });
  if (limits.length === 0) return current;
  return (selectPolicy === 'Min') === (direction === 1) ? Math.min(...limits) : Math.max(...limits);
}

function changeSince(changes: readonly ScaleChange[], sinceMs: number): number {
  return changes.reduce((sum, { by, atMs }) => (atMs > sinceMs ? sum + by : sum), 0);
}
