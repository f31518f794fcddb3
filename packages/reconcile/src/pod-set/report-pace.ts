import { delayUntil } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { PodSetStatus } from './status.ts';

/** How long counts on their way are gathered, ms. */
const GATHER_MS = 100;

/** Which sets have something to report that can wait a moment, and until when. */
export class ReportPace {
  readonly #clock: Clock;
  readonly #dueMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the report of a set is still put off, ms: from the first question after the last report on. */
  waitMs(key: string): number {
    const due = this.#dueMs.get(key) ?? this.#clock.monotonic() + GATHER_MS;
    this.#dueMs.set(key, due);
    return Math.max(0, delayUntil(this.#clock, due));
  }

  /** All is told, or the set is gone. */
  told(key: string): void {
    this.#dueMs.delete(key);
  }
}

/**
 * Whether a report would say no more than how far a set has come: some of its pods are ready that were not, or gone that
 * were going, and not yet all. Whatever goes another way, and what comes to its end, is told at once.
 */
export function isOnTheWay(before: PodSetStatus | undefined, after: PodSetStatus): boolean {
  if (before === undefined || !isOtherwiseSame(before, after)) return false;
  const { replicas } = after;
  const steps: readonly Step[] = [
    stepUp(before.readyReplicas, after.readyReplicas, replicas),
    stepUp(before.availableReplicas, after.availableReplicas, replicas),
    // What goes, counted from its end.
    stepUp(-(before.terminatingReplicas ?? 0), -(after.terminatingReplicas ?? 0), 0),
  ];
  return steps.includes('on') && !steps.includes('back') && !steps.includes('there');
}

type Step = 'none' | 'on' | 'there' | 'back';

function stepUp(before = 0, after = 0, end: number): Step {
  if (after === before) return 'none';
  if (after < before) return 'back';
  return after >= end ? 'there' : 'on';
}

function isOtherwiseSame(before: PodSetStatus, after: PodSetStatus): boolean {
  return (
    before.replicas === after.replicas &&
    (before.fullyLabeledReplicas ?? 0) === (after.fullyLabeledReplicas ?? 0) &&
    before.observedGeneration === after.observedGeneration &&
    (before.conditions ?? NONE) === (after.conditions ?? NONE)
  );
}

const NONE: readonly never[] = [];
