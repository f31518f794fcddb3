import { delayUntil } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';

/** How long counts on their way are gathered, ms. */
const GATHER_MS = 100;

/** Which owners have something to report that can wait a moment, and until when. */
export class ReportPace {
  readonly #clock: Clock;
  readonly #dueMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the report of an owner is still put off, ms: from the first question after the last report on. */
  waitMs(key: string): number {
    const due = this.#dueMs.get(key) ?? this.#clock.monotonic() + GATHER_MS;
    this.#dueMs.set(key, due);
    return Math.max(0, delayUntil(this.#clock, due));
  }

  /** All is told, or the owner is gone. */
  told(key: string): void {
    this.#dueMs.delete(key);
  }
}

/** Where counts of a status are going, by field: up to a number, or down to nothing. */
export interface CountEnds {
  readonly up: { readonly [field: string]: number };
  readonly down: readonly string[];
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
