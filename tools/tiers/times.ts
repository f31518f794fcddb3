/** tools/test-times.json: the seconds that each suite may take. They may shrink; to loosen one takes a reason. */

/** A suite's seconds; `loosened` is the reason of the last time that they grew. */
export interface SuiteTime {
  seconds: number;
  loosened?: string;
}
export type Times = Record<string, SuiteTime>;

/** `npm test` as a whole: what is aimed at, and where it is red. */
export const TARGET_SECONDS = 12 * 60;
export const RED_SECONDS = 20 * 60;

/** What is wrong with `now`, compared with what was committed before. */
export function loosenedWithoutReason(before: Times, now: Times): string[] {
  return Object.entries(now).flatMap(([suite, time]) => {
    const old = before[suite];
    if (old === undefined || time.seconds <= old.seconds) return [];
    if (time.loosened !== undefined && time.loosened.trim() !== '' && time.loosened !== old.loosened) return [];
    return [`${suite} went from ${old.seconds} to ${time.seconds} s: give the reason in "loosened", or make it faster`];
  });
}

/** A suite's kept seconds: a half more than was measured, at least two, so that a busy machine is no finding. */
export function keptSeconds(measured: number): number {
  return Math.max(2, Math.ceil(measured * 1.5));
}

/** The file after a run: suites that are new come in, those that are gone go out, faster ones shrink. */
export function tightened(before: Times, measured: ReadonlyMap<string, number>): Times {
  const rows = [...measured].map(([suite, seconds]): [string, SuiteTime] => {
    const old = before[suite];
    const kept = keptSeconds(seconds);
    return [suite, old === undefined || kept < old.seconds ? { ...old, seconds: kept } : old];
  });
  return Object.fromEntries(rows.sort(([a], [b]) => a.localeCompare(b, 'en')));
}
