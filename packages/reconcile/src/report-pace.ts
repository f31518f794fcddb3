import { delayUntil } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import type { SyncContext } from './run-controller.ts';

/** How long counts on their way are gathered, ms. */
const GATHER_MS = 100;

/** Which owners have something to report that can wait a moment, and until when. */
export class ReportPace {
  readonly #clock: Clock;
  readonly #dueMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a status waits for others to come, and its sync with it: from the first one after the last report on. */
  isPutOff(key: string, { before, after, ends }: StatusStep, context: Pick<SyncContext, 'postpone'>): boolean {
    const wait = isOnTheWay(before, after, ends) ? this.#waitMs(key) : 0;
    if (wait > 0) context.postpone(wait);
    else this.forget(key);
    return wait > 0;
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.#dueMs.delete(key);
  }

  #waitMs(key: string): number {
    const due = this.#dueMs.get(key) ?? this.#clock.monotonic() + GATHER_MS;
    this.#dueMs.set(key, due);
    return delayUntil(this.#clock, due);
  }
}

/** Where counts of a status are going, by field: up to a number, or down to nothing. */
export interface CountEnds {
  readonly up: { readonly [field: string]: number };
  readonly down: readonly string[];
}

/** The status of an owner as it was told last, and as it would be told now. */
export interface StatusStep {
  readonly before: object | undefined;
  readonly after: object;
  readonly ends: CountEnds;
}

interface Fields {
  readonly [field: string]: unknown;
}

/**
 * Whether a status would say no more than how far a set has come: some of its pods are ready that were not, or gone that
 * were going, and not yet all. Whatever goes another way, and what comes to its end, is told at once.
 */
export function isOnTheWay(before: object | undefined, after: object, { up, down }: CountEnds): boolean {
  if (before === undefined) return false;
  const [was, is] = [before as Fields, after as Fields];
  let isOn = false;
  for (const field of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const end = down.includes(field) ? 0 : up[field];
    if (end === undefined) {
      // Zero is as good as nothing, in Go's eyes.
      if (!deepEqual(was[field] ?? 0, is[field] ?? 0)) return false;
      continue;
    }
    const [from, to] = [countOf(was[field]), countOf(is[field])];
    if (from === to) continue;
    if (to === end || to < from !== down.includes(field)) return false;
    isOn = true;
  }
  return isOn;
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
