import { defaultPodTemplate } from '../core/pod/defaults.ts';
import type { Draft } from '../draft.ts';
import type { CronJob, Job, JobSpec } from '../generated/batch-v1.ts';

const INT32_MAX = 2_147_483_647;

export function defaultJob(job: Draft<Job>): void {
  const spec = job.spec;
  if (!spec) return;
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
  defaultCounts(spec);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) if (!pattern.status) pattern.status = 'True';
  }
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  defaultPodTemplate(spec.template);
}

/** The job template stays as it is: its defaults come when a job is made of it. */
export function defaultCronJob(cronJob: Draft<CronJob>): void {
  const spec = cronJob.spec;
  if (!spec) return;
  if (!spec.concurrencyPolicy) spec.concurrencyPolicy = 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  defaultPodTemplate(spec.jobTemplate?.spec?.template);
}

/** Without a wanted number of completions, one pod's success is enough for the others, too. */
function defaultCounts(spec: Draft<JobSpec>): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  // With limits per index there is none for the job as a whole.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : INT32_MAX;
}
