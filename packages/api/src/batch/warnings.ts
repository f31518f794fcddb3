import { isAskedAnew, warnOfWorkloadName } from '../apps/template-warnings.ts';
import { warnOfTemplate } from '../core/pod/warnings.ts';
import type { CronJob, Job, JobSpec } from '../generated/batch-v1.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Warnings } from '../validation/warnings.ts';

const COMPLETIONS_MAX = 100_000;
const PARALLELISM_MAX = 10_000;
const UNTRACKED =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
const ZONE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

/** Of a Job. */
export function jobWarnings(job: Job, before?: Job): readonly string[] {
  const warnings = new Warnings();
  warnOfWorkloadName(job, before, warnings);
  if (isAskedAnew(job, before)) warnOfJobSpec(job.spec, fieldPath('spec'), warnings);
  return warnings.texts;
}

/** Of a CronJob: of the Jobs that it will make. */
export function cronJobWarnings(cronJob: CronJob, before?: CronJob): readonly string[] {
  const warnings = new Warnings();
  const { metadata, spec } = cronJob;
  const isNew = before === undefined;
  warnOfWorkloadName({ metadata }, isNew ? undefined : { metadata: before.metadata }, warnings);
  if (isNew || metadata.generation !== before.metadata.generation) {
    warnOfJobSpec(spec?.jobTemplate?.spec, fieldPath('spec', 'jobTemplate', 'spec'), warnings);
  }
  // New ones are refused for it.
  if (!isNew && spec?.schedule?.includes('TZ')) warnings.say(ZONE);
  return warnings.texts;
}

function warnOfJobSpec(spec: JobSpec | undefined, path: FieldPath, warnings: Warnings): void {
  if (spec?.completionMode === 'Indexed') {
    const isMany = (spec.completions ?? 0) > COMPLETIONS_MAX && (spec.parallelism ?? 0) > PARALLELISM_MAX;
    if (isMany) warnings.add(path, UNTRACKED);
  }
  warnOfTemplate(spec?.template, path.child('template'), warnings);
}
