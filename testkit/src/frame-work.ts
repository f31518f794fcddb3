/** An event of a browser's trace (`traceEvents` of the JSON that DevTools writes), times in microseconds. */
export interface BrowserTraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** What of `dur` the thread had a processor for: others of a busy machine are not counted. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Categories that a browser has to trace for `frameWork`. */
export const FRAME_CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'];

/**
 * How long the page's main thread worked for each frame, in milliseconds, in the order of frames: its tasks between one
 * call of animation callbacks and the next.
 */
export function frameWork(events: readonly BrowserTraceEvent[]): readonly number[] {
  const thread = busiestMain(events);
  const own = events.filter(({ pid, tid }) => `${pid} ${tid}` === thread);
  const frames = own.filter(({ name }) => name === 'FireAnimationFrame').map(({ ts }) => ts);
  frames.sort((a, b) => a - b);
  const work = frames.map(() => 0);
  const tasks = own.filter(({ name, ph }) => ph === 'X' && /^(?:RunTask|ThreadControllerImpl::RunTask)$/.test(name));
  let end = 0;
  for (const { ts, dur = 0, tdur = dur } of tasks.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    // A task within a task is counted with it.
    if (ts < end) continue;
    end = ts + dur;
    const at = frames.findLastIndex((frame) => frame < end);
    if (at !== -1) work[at] = (work[at] ?? 0) + tdur / 1000;
  }
  return work;
}

/** The page that is measured is the one whose animation callbacks run. */
function busiestMain(events: readonly BrowserTraceEvent[]): string {
  const counts = new Map<string, number>();
  for (const { name, pid, tid } of events) {
    if (name !== 'FireAnimationFrame') continue;
    const thread = `${pid} ${tid}`;
    counts.set(thread, (counts.get(thread) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

/** The value below which a share of all values is; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
