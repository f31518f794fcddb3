/**
 * glibc gives each thread that allocates a heap of its own, and what lies scattered over them after a burst does not go back. Two are
 * enough for a main thread and those beside it (docs/performance.md). It is read when a process starts, so that only
 * whoever starts one can say it.
 */
const FEW_HEAPS = { MALLOC_ARENA_MAX: '2' };

/** The environment of another process of this program: the one given, which wins, and how many heaps it has. */
export function withFewHeaps(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...FEW_HEAPS, ...environment };
}

/** The same as lines of a unit of systemd. */
export function fewHeapsOfUnit(): string {
  return Object.entries(FEW_HEAPS)
    .map(([name, value]) => `Environment=${name}=${value}`)
    .join('\n');
}
