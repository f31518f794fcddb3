import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { IdleCollection } from '../idle-collection.ts';
import { exposeCollector } from './exposed-collector.ts';
import type { Collect } from './exposed-collector.ts';

const PERIOD_MS = 1000;

/** Gives this thread's memory back to the system whenever it has come to rest after work, until the answer is called. */
export function returnMemoryWhenIdle(): () => void {
  // None before the first look, which is since the loop began: Node loads what measures it then, and a start need not wait for that.
  let last: ReturnType<typeof performance.eventLoopUtilization> | undefined;
  let collect: Collect | undefined;
  const collection = new IdleCollection(
    {
      utilization() {
        const now = performance.eventLoopUtilization();
        const { utilization } = last === undefined ? now : performance.eventLoopUtilization(now, last);
        last = now;
        return utilization;
      },
      heap() {
        const { used_heap_size: used, total_heap_size: total } = getHeapStatistics();
        return { used, total };
      },
      collect(growthPercent) {
        collect ??= collector();
        // The limit is set at the end of the collection.
        setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
        collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      },
    },
    PERIOD_MS,
  );
  const timer = setInterval(() => collection.tick(), PERIOD_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Whoever has it looks after memory at rest: V8's own reducer, which would collect twice more 8 s after each full
 * collection (100 ms of CPU after a start, for nothing), is done with.
 */
function collector(): Collect {
  setFlagsFromString('--memory-reducer-gc-count=0');
  return exposeCollector();
}
