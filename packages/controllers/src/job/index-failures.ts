import type { Job } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { isPodActive, isPodTerminating, isSidecar, wellknown } from '@binnacle/api';
import { judgeFailure } from './failure-policy.ts';

/** How often the index of a pod had failed before it was made. */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
/** How often it had in ways that the failure policy passes over; absent: never. */
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** How often an index failed. */
export interface IndexFailures {
  readonly counted: number;
  /** In ways that the failure policy passes over: they make it wait longer, but never fail for good. */
  readonly ignored: number;
}

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[wellknown.LABEL_JOB_COMPLETION_INDEX];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A pod that ended, for the job's purposes: one that is deleted counts as failed unless only failed ones are replaced. */
export function outcomeOf(job: Job, pod: Pod): 'succeeded' | 'failed' | undefined {
  if (pod.status?.phase === 'Succeeded') return 'succeeded';
  if (pod.status?.phase === 'Failed') return 'failed';
  return isPodTerminating(pod) && !replacesFailedOnly(job) ? 'failed' : undefined;
}

/** Whether who is deleted is replaced only once it has ended; a job with a policy for failures does so by itself. */
export function replacesFailedOnly({ spec }: Job): boolean {
  return (spec.podReplacementPolicy ?? (spec.podFailurePolicy ? 'Failed' : undefined)) === 'Failed';
}

/** How often the index of a failed pod has failed, this time included. */
export function failuresOfIndex(job: Job, pod: Pod): IndexFailures {
  const isIgnored = judgeFailure(job.spec.podFailurePolicy, pod).action === 'Ignore';
  return {
    counted: noted(pod, INDEX_FAILURES) + (isIgnored ? 0 : 1),
    ignored: noted(pod, INDEX_IGNORED_FAILURES) + (isIgnored ? 1 : 0),
  };
}

/** What is no count was written by somebody else: it counts as none, and does not make the index fail for ever. */
function noted({ metadata: { annotations } }: Pod, name: string): number {
  const text = annotations?.[name] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** The failed pod of each index that knows of the most failures; among equals who ended last. */
export function lastFailures(job: Job, pods: readonly Pod[]): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of pods) {
    const index = outcomeOf(job, pod) === 'failed' ? indexOf(pod) : undefined;
    if (index === undefined || index >= (job.spec.completions ?? 0)) continue;
    const other = last.get(index);
    if (other === undefined || isLater(job, other, pod)) last.set(index, pod);
  }
  return last;
}

function isLater(job: Job, before: Pod, pod: Pod): boolean {
  const [was, is] = [failuresOfIndex(job, before), failuresOfIndex(job, pod)];
  const more = is.counted + is.ignored - was.counted - was.ignored;
  return more > 0 || (more === 0 && endedAtMs(pod) >= endedAtMs(before));
}

/** Indexes that somebody works on. */
export function activeIndexes(pods: readonly Pod[]): ReadonlySet<number> {
  return new Set(pods.filter(isPodActive).flatMap((pod) => indexOf(pod) ?? []));
}

/**
 * When a pod ended, ms since the epoch: its last container, if all have (of those that run beside them too), else when it
 * stopped to be ready, else when its deletion was asked for.
 */
export function endedAtMs({ spec, status, metadata }: Pod): number {
  const beside = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const counted = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => beside.has(name)),
  ];
  const ends = counted.flatMap((one) => one.state?.terminated?.finishedAt ?? []);
  if (ends.length > 0 && ends.length === counted.length) return Math.max(...ends.map((at) => Date.parse(at)));
  const ready = status?.conditions?.find((one) => one.type === 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime !== undefined) return Date.parse(ready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp);
}
