import type { Walk } from '@binnacle/base';
import type { Findings } from './findings.ts';

/** As the next step: there is none. */
export const DONE = -1;

/**
 * A check in steps. It does those from the given one on, at once, until it has to wait for a walk inside of it, or until
 * others should have their turn: that is left in `found.wait`, and the answer says with which step it goes on then. So a
 * small value is checked by plain calls, and the same code rests where the value is large.
 */
export type Steps = (from: number) => number;

/** The rest of a check that has to wait. */
export function goOn(steps: Steps, next: number, found: Findings): Walk {
  // Read now: those around it wait in their turn, and with the same findings.
  return rest({ steps, next, wait: found.wait }, found);
}

interface Waiting {
  readonly steps: Steps;
  readonly next: number;
  readonly wait: Walk | undefined;
}

function* rest({ steps, next, wait }: Waiting, found: Findings): Walk {
  yield wait;
  for (let at = steps(next); at !== DONE; at = steps(at)) yield found.wait;
}
