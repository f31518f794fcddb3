/** Which suite runs next, where several run at once. */
import type { Lane, Suite } from './suites.ts';
import type { Times } from './times.ts';

/**
 * What each of those that run suites takes first: one more than the processors that are aimed at, as half of a suite's time, and
 * more of one with containers, goes by waiting for what takes its time (periods of grace, probes, leases).
 */
export const WORKERS: readonly Lane[] = ['containers', 'containers', 'simulated'];
/** Of what takes long, measures itself or looks at a browser: one of each lane. */
export const FEW_WORKERS: readonly Lane[] = ['containers', 'simulated'];
/** So many with real containers at a time: each has a containerd, a network and a range of addresses of its own. */
const CONTAINERS_MAX = 2;

/** Longest first, as far as their times are kept: what is long and last is waited for alone. */
export function inOrder(suites: readonly Suite[], times: Times): Suite[] {
  const seconds = ({ name }: Suite): number => times[name]?.seconds ?? 0;
  return suites.toSorted((a, b) => seconds(b) - seconds(a));
}

/** The index of what is taken out of `waiting` by whoever prefers this lane; -1: nothing for now. */
export function nextIndex(waiting: readonly Suite[], running: readonly Suite[], prefers: Lane): number {
  const mayRun = (lane: Lane): boolean =>
    lane === 'simulated' || running.filter((suite) => suite.lane === lane).length < CONTAINERS_MAX;
  const preferred = mayRun(prefers) ? waiting.findIndex((suite) => suite.lane === prefers) : -1;
  return preferred === -1 ? waiting.findIndex((suite) => mayRun(suite.lane)) : preferred;
}

/** Runs all of them, and answers in the order in which they ended. Rejects with what a run rejects with. */
export async function runPool<T>(
  suites: readonly Suite[],
  run: (suite: Suite) => Promise<T>,
  workers: readonly Lane[] = WORKERS,
): Promise<T[]> {
  const waiting = [...suites];
  const running: Suite[] = [];
  const done: T[] = [];
  const work = async (prefers: Lane): Promise<void> => {
    for (let at = nextIndex(waiting, running, prefers); at !== -1; at = nextIndex(waiting, running, prefers)) {
      const [suite] = waiting.splice(at, 1) as [Suite];
      running.push(suite);
      done.push(await run(suite));
      running.splice(running.indexOf(suite), 1);
    }
  };
  await Promise.all(workers.map(work));
  return done;
}
