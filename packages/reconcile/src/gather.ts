// 50 objects wait 1 ms, 5,000 wait 100.
const GATHER_FROM = 50;
const GATHER_MS_PER_OBJECT = 0.02;
const GATHER_MS_MAX = 500;

/**
 * How long changes are gathered before a sync that looks at `count` objects, ms. In proportion to what the sync costs,
 * so that n changes of n objects cost in the order of n looks and not n².
 */
export function gatherMs(count: number): number {
  return count < GATHER_FROM ? 0 : Math.min(count * GATHER_MS_PER_OBJECT, GATHER_MS_MAX);
}
