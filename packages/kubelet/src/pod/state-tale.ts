import type { Trace } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { aboutPod } from './traced-runtime.ts';

/** Told when a pod's worker goes from one state to another. */
export type StateTale = (pod: Pod, from: string, to: string) => void;

/** Tells the trace of the states of pods' workers. */
export function createStateTale(trace: Trace, nodeName: string): StateTale {
  return (pod, from, to) => {
    if (!trace.on) return;
    trace.record({
      kind: 'kubelet',
      component: `kubelet ${nodeName}`,
      name: `pod worker ${from} → ${to}`,
      startedAt: trace.now(),
      durationMs: 0,
      ...aboutPod(pod),
      detail: { from, to },
    });
  };
}
