import { availableInMs, isPodActive, isPodReady, isPodTerminal, isPodTerminating } from '@binnacle/api';
import type { Pod, PodTemplateSpec } from '@binnacle/api/core/v1';

/** A condition as both kinds of sets have it. */
export interface PodSetCondition {
  readonly type: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What replication controllers and replica sets report alike. */
export interface PodSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly PodSetCondition[];
}

export interface CountOptions {
  readonly template: PodTemplateSpec | undefined;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

export interface PodCounts {
  readonly replicas: number;
  readonly fullyLabeled: number;
  readonly ready: number;
  readonly available: number;
  readonly terminating: number;
  /** Until the next ready pod counts as available, ms. */
  readonly nextAvailableMs: number | undefined;
}

/** Counts the pods of a set. */
export function countPods(pods: readonly Pod[], options: CountOptions): PodCounts {
  const labels = Object.entries(options.template?.metadata.labels ?? {});
  const counts = { replicas: 0, fullyLabeled: 0, ready: 0, available: 0, terminating: 0 };
  let nextAvailableMs: number | undefined;
  for (const pod of pods) {
    if (isPodTerminating(pod) && !isPodTerminal(pod)) counts.terminating++;
    if (!isPodActive(pod)) continue;
    counts.replicas++;
    if (labels.every(([key, value]) => pod.metadata.labels?.[key] === value)) counts.fullyLabeled++;
    if (!isPodReady(pod)) continue;
    counts.ready++;
    const wait = availableInMs(pod, options.minReadySeconds, options.nowMs);
    if (wait === 0) counts.available++;
    else if (wait !== undefined) nextAvailableMs = Math.min(wait, nextAvailableMs ?? wait);
  }
  return { ...counts, nextAvailableMs };
}

/** A failure to bring the number of pods to what is wanted. */
export interface PodSetFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

export interface StatusInput {
  readonly before: PodSetStatus | undefined;
  readonly counts: PodCounts;
  readonly generation: number;
  readonly failure: PodSetFailure | undefined;
  /** RFC 3339. */
  readonly now: string;
  /** Replica sets tell how many pods are going; replication controllers have no such field. */
  readonly tellsTerminating: boolean;
}

/** The status that should be; the very one from before when nothing in it changes. */
export function decideStatus(input: StatusInput): PodSetStatus {
  const { before, counts, generation } = input;
  const conditions = decideConditions(before?.conditions ?? [], input);
  const same =
    before !== undefined &&
    before.replicas === counts.replicas &&
    (before.fullyLabeledReplicas ?? 0) === counts.fullyLabeled &&
    (before.readyReplicas ?? 0) === counts.ready &&
    (before.availableReplicas ?? 0) === counts.available &&
    (!input.tellsTerminating || (before.terminatingReplicas ?? 0) === counts.terminating) &&
    (before.observedGeneration ?? 0) === generation &&
    (conditions === before.conditions || conditions.length + (before.conditions ?? NONE).length === 0);
  if (same) return before;
  return {
    replicas: counts.replicas,
    fullyLabeledReplicas: counts.fullyLabeled,
    readyReplicas: counts.ready,
    availableReplicas: counts.available,
    ...(input.tellsTerminating ? { terminatingReplicas: counts.terminating } : {}),
    observedGeneration: Math.max(generation, before?.observedGeneration ?? 0),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

const NONE: readonly PodSetCondition[] = [];

function decideConditions(before: readonly PodSetCondition[], input: StatusInput): readonly PodSetCondition[] {
  const current = before.find((condition) => condition.type === 'ReplicaFailure');
  if (input.failure === undefined) {
    if (current === undefined) return before.length === 0 ? NONE : before;
    return before.filter((condition) => condition !== current);
  }
  // A failure that is already reported keeps its text, as upstream's does: each retry words it a little differently.
  if (current !== undefined) return before;
  const failed = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: input.now, ...input.failure };
  return [...before, failed];
}
