import type { Job } from '../generated/batch-v1.ts';
import type { KindRules } from '../kind.ts';
import { validateCronJob, validateCronJobUpdate } from './cron-job-validation.ts';
import { defaultCronJob, defaultJob } from './defaults.ts';
import { validateJobStatusUpdate } from './job-status-validation.ts';
import { validateJob, validateJobUpdate } from './job-validation.ts';
import { cronJobWarnings, jobWarnings } from './warnings.ts';

/** Rules of the kinds of the group batch. */
export const BATCH_KINDS: { readonly [kind: string]: KindRules } = {
  CronJob: {
    defaults: defaultCronJob,
    validate: validateCronJob,
    validateUpdate: validateCronJobUpdate,
    warnings: cronJobWarnings,
  },
  Job: {
    defaults: defaultJob,
    validate: validateJob,
    validateUpdate: validateJobUpdate,
    validateStatusUpdate: validateJobStatusUpdate,
    warnings: jobWarnings,
    fields: { 'status.successful': (job: Job) => String(job.status?.succeeded ?? 0) },
  },
};
