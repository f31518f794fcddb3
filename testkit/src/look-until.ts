import { sleep } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { TestkitError } from './errors.ts';

/** What is looked for where nobody tells of a change: a page, a process, the rules of a machine. */
export interface Look<T> {
  /** Named in the message of a failure. */
  readonly what: string;
  /** How it is now. What it throws ends the wait. */
  readonly look: () => T | Promise<T>;
  readonly until: (seen: T) => boolean;
  /** Milliseconds; 60,000 where absent. */
  readonly deadlineMs?: number;
  /** Milliseconds from one look to the next; 50 where absent: who looks without a pause takes the processor from what is looked for. */
  readonly everyMs?: number;
  /** The machine's where absent. */
  readonly clock?: Clock;
}

const SHOWN_MAX = 4000;

/** Looks until what it sees is as wanted, once more at the deadline; answers with that. Objects of the API: `waitFor`. */
export async function lookUntil<T>(wanted: Look<T>): Promise<T> {
  const { what, look, until, deadlineMs = 60_000, everyMs = 50, clock = realClock } = wanted;
  const deadline = clock.monotonic() + deadlineMs;
  for (;;) {
    const isLast = clock.monotonic() >= deadline;
    const seen = await look();
    if (until(seen)) return seen;
    if (isLast) {
      const shown = typeof seen === 'string' ? seen : JSON.stringify(seen, undefined, 1);
      throw new TestkitError(`waited ${deadlineMs} ms for ${what}; there is: ${String(shown).slice(0, SHOWN_MAX)}`);
    }
    await sleep(clock, everyMs);
  }
}
