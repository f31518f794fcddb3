import { delayUntil } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import type { SyncContext } from './run-controller.ts';

/** How long counts on their way are gathered, ms: at least, and at the most where each report takes long. */
const GATHER_MS = 100;
const GATHER_MS_MAX = 1000;
/** Of an owner's time no more than one part in so many goes into telling how far it has come. */
const TIMES_A_REPORT = 10;
/** How much of what a report takes is taken for what the next one takes. */
const NEWEST_SHARE = 0.2;

/** Which owners have something to report that can wait a moment, and until when. */
export class ReportPace {
  readonly #clock: Clock;
  readonly #putOff = new Map<string, PutOff>();
  /** What a report takes, ms; of a server that is busy more. */
  #reportMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A status was told, which took so long. */
  told(ms: number): void {
    this.#reportMs += (ms - this.#reportMs) * NEWEST_SHARE;
  }

  /** A sync begins: what comes from now on may be missing from what it sees, and makes another one due. */
  begins(key: string): void {
    const put = this.#putOff.get(key);
    if (put !== undefined) put.stepsLeft = 0;
  }

  /**
   * One of its pods has come one step further. Whether that makes no sync due: a status was put off, will be looked at when its
   * time comes, and cannot have come to its end, as more steps are missing.
   */
  takesStep(key: string): boolean {
    const put = this.#putOff.get(key);
    if (put === undefined || put.stepsLeft <= 1) return false;
    put.stepsLeft--;
    return true;
  }

  /** Whether a status waits for others to come, and its sync with it: from the first one after the last report on. */
  isPutOff(key: string, step: StatusStep, context: Pick<SyncContext, 'postpone'>): boolean {
    const { before, after, ends, isBehind = false } = step;
    const due = isBehind || isOnTheWay(before, after, ends) ? this.#dueMs(key) : 0;
    const wait = due === 0 ? 0 : delayUntil(this.#clock, due);
    if (wait > 0) {
      this.#putOff.set(key, { dueMs: due, stepsLeft: isBehind ? 0 : stepsLeft(step) });
      context.postpone(wait);
    } else this.forget(key);
    return wait > 0;
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.#putOff.delete(key);
  }

  #dueMs(key: string): number {
    const gathered = Math.min(Math.max(GATHER_MS, this.#reportMs * TIMES_A_REPORT), GATHER_MS_MAX);
    return this.#putOff.get(key)?.dueMs ?? this.#clock.monotonic() + gathered;
  }
}

interface PutOff {
  readonly dueMs: number;
  /** Before so many steps of pods no count has come to its end. */
  stepsLeft: number;
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
  /** Pods that were made, or deleted, do not show yet: what is counted now is another number in a moment. Default: false. */
  readonly isBehind?: boolean;
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

/** How many steps of pods, each of which moves each count by one at the most, until one of the counts is at its end. */
function stepsLeft({ after, ends: { up, down } }: StatusStep): number {
  const is = after as Fields;
  const ways = [
    ...Object.entries(up).map(([field, end]) => Math.abs(end - countOf(is[field]))),
    ...down.map((field) => countOf(is[field])),
  ];
  return Math.min(...ways.filter((way) => way > 0));
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
