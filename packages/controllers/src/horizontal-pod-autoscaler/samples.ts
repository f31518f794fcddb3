import { getPodCondition } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';

/** One pod's usage: milli-units over a window that ended at a time (both ms). */
export interface Sample {
  readonly milli: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/** By the pod's name. */
export type Samples = ReadonlyMap<string, Sample>;

/** When a young pod's CPU counts: flags of upstream's controller manager, ms. */
export interface Youth {
  /** `--horizontal-pod-autoscaler-cpu-initialization-period`. */
  readonly cpuInitializationMs: number;
  /** `--horizontal-pod-autoscaler-initial-readiness-delay`. */
  readonly initialReadinessMs: number;
}

/** A target's pods, sorted by what is known of them. */
export interface GroupedPods {
  /** How many count as they are. */
  readonly ready: number;
  /** Their usage says nothing yet. */
  readonly unready: readonly string[];
  /** Nobody measured them. */
  readonly missing: readonly string[];
  /** What was measured of the pods that count. */
  readonly counted: Samples;
}

/** Sorts a target's pods. Only the CPU of a pod is judged by its age: a start is work of its own. */
export function groupPods(
  pods: readonly Pod[],
  samples: Samples,
  of: { readonly resource: string; readonly nowMs: number; readonly youth: Youth },
): GroupedPods {
  const unready: string[] = [];
  const missing: string[] = [];
  const left = new Map(samples);
  let ready = 0;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const sample = samples.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') left.delete(name);
    else if ((pod.status?.phase ?? 'Pending') === 'Pending') unready.push(name);
    else if (sample === undefined) missing.push(name);
    else if (of.resource === 'cpu' && isTooYoung(pod, sample, of)) unready.push(name);
    else ready++;
  }
  for (const name of unready) left.delete(name);
  return { ready, unready, missing, counted: left };
}

function isTooYoung(
  pod: Pod,
  sample: Sample,
  { nowMs, youth }: { readonly nowMs: number; readonly youth: Youth },
): boolean {
  const condition = getPodCondition(pod, 'Ready');
  const start = pod.status?.startTime;
  if (condition === undefined || start === undefined) return true;
  const startMs = Date.parse(start);
  const turnedMs = Date.parse(condition.lastTransitionTime ?? start);
  const isUnready = condition.status === 'False';
  if (startMs + youth.cpuInitializationMs > nowMs) return isUnready || sample.atMs < turnedMs + sample.windowMs;
  // It was never ready.
  return isUnready && startMs + youth.initialReadinessMs > turnedMs;
}
