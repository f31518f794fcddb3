import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { CronJob, CronJobSpec } from '../generated/batch-v1.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { isTimeZone, parseCronSchedule } from './cron-schedule.ts';
import { validateJobSpec } from './job-validation.ts';

const SPEC = fieldPath('spec');
/** Jobs are called after their cron job and the minute that they are made for. */
const NAME_MAX = 52;
const ZONE_PART = /^[A-Za-z._0-9+-]{1,14}$/;

export function validateCronJob(cronJob: CronJob): FieldError[] {
  const report = new Report();
  validateSpec(cronJob.spec, undefined, report);
  const name = cronJob.metadata.name ?? '';
  if (names.byteLength(name) > NAME_MAX) {
    report.invalid(fieldPath('metadata', 'name'), name, `must be no more than ${NAME_MAX} characters`);
  }
  return report.errors;
}

export function validateCronJobUpdate(cronJob: CronJob, before: CronJob): FieldError[] {
  const report = new Report();
  validateSpec(cronJob.spec, before.spec, report);
  return report.errors;
}

const COUNTS = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const;

function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined, report: Report): void {
  validateSchedule(spec, old, report);
  report.nonNegative(SPEC.child('startingDeadlineSeconds'), spec.startingDeadlineSeconds);
  if (spec.timeZone !== undefined && spec.timeZone !== old?.timeZone) {
    validateTimeZone(spec.timeZone, SPEC.child('timeZone'), report);
  }
  const policy = spec.concurrencyPolicy;
  const policies = ['Allow', 'Forbid', 'Replace'];
  if (!policy) report.required(SPEC.child('concurrencyPolicy'));
  else if (!policies.includes(policy)) report.unsupported(SPEC.child('concurrencyPolicy'), policy, policies);
  validateTemplate(spec, SPEC.child('jobTemplate').child('spec'), report);
  for (const count of COUNTS) report.nonNegative(SPEC.child(count), spec[count]);
}

/** A zone in the schedule itself was let in once; whoever has one may keep it. */
function validateSchedule(spec: CronJobSpec, old: CronJobSpec | undefined, report: Report): void {
  const path = SPEC.child('schedule');
  const { schedule } = spec;
  if (!schedule) return report.required(path);
  const parsed = parseCronSchedule(schedule);
  if ('error' in parsed) report.invalid(path, schedule, parsed.error);
  if (!schedule.includes('TZ')) return undefined;
  if (!old?.schedule.includes('TZ')) {
    return report.invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  }
  if (spec.timeZone === undefined) return undefined;
  return report.invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function validateTimeZone(zone: string, path: FieldPath, report: Report): void {
  if (zone === '') return report.invalid(path, zone, 'timeZone must be nil or non-empty string');
  const isPartRight = (part: string): boolean =>
    part !== '.' && part !== '..' && !part.startsWith('-') && ZONE_PART.test(part);
  if (!zone.split('/').every(isPartRight)) return report.invalid(path, zone, `unknown time zone ${zone}`);
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    report.invalid(path, zone, detail);
    if (zone === 'Local') return undefined;
  }
  if (!isTimeZone(zone)) report.invalid(path, zone, `unknown time zone ${zone}`);
  return undefined;
}

/** The selector comes with each job. */
function validateTemplate(spec: CronJobSpec, path: FieldPath, report: Report): void {
  const template = spec.jobTemplate.spec;
  if (!template) return report.required(path);
  validateJobSpec(template, path, report);
  if (template.selector) report.invalid(path.child('selector'), template.selector, '`selector` will be auto-generated');
  if (template.manualSelector === true) report.unsupported(path.child('manualSelector'), true, ['nil', 'false']);
  return undefined;
}
