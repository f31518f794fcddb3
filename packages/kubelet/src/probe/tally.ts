import type { Probe } from '@binnacle/api/core/v1';

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

export interface ProbeResult {
  readonly kind: 'success' | 'failure' | 'error';
  readonly output: string;
  /** A success that its user should hear of. */
  readonly isWarning?: true;
}

/** What a probe's attempts came to so far. */
export interface Tally {
  readonly verdict: 'unknown' | 'success' | 'failure';
  readonly last: ProbeResult['kind'] | undefined;
  /** How often in a row. */
  readonly run: number;
}

/** A container is taken as alive, as not ready, and as not started, before the first attempt; `passed`:
 * it was found running, and had passed before. */
export function initialTally(kind: ProbeKind, passed = false): Tally {
  if (passed) return { verdict: 'success', last: undefined, run: 0 };
  const verdict = kind === 'liveness' ? 'success' : kind === 'readiness' ? 'failure' : 'unknown';
  return { verdict, last: undefined, run: 0 };
}

/** Counts one attempt: a verdict changes when the threshold of equal attempts in a row is reached. Errors count not at all. */
export function countResult(tally: Tally, probe: Probe, result: ProbeResult): Tally {
  if (result.kind === 'error') return tally;
  const run = tally.last === result.kind ? tally.run + 1 : 1;
  const threshold = result.kind === 'success' ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  return { verdict: run >= threshold ? result.kind : tally.verdict, last: result.kind, run };
}
