import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';
import { TEMPLATE } from '../testing/job-table.ts';

const CRON_JOB: Kind = ['batch', 'CronJob', true];
const RIGHT = { schedule: '*/5 * * * *', jobTemplate: { spec: { template: TEMPLATE } } };
const withSpec = (fields: object): object => ({ spec: { ...RIGHT, ...fields } });
const ZONED = withSpec({ schedule: 'TZ=UTC 0 0 * * *' });

// Provenance: upstream pkg/apis/batch/validation/validation.go.
checkCreate('cron jobs', [
  ['right', 'ValidateCronJobCreate', CRON_JOB, { spec: RIGHT }],
  ['in a time zone', 'validateTimeZone', CRON_JOB, withSpec({ timeZone: 'Europe/Berlin' })],
  ['no schedule', 'validateCronJobSpec', CRON_JOB, withSpec({ schedule: '' }), 'spec.schedule: Required value'],
  [
    'a wrong schedule',
    'validateScheduleFormat',
    CRON_JOB,
    withSpec({ schedule: '61 * * * *' }),
    'spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61',
  ],
  [
    'a zone in the schedule',
    'validateScheduleFormat',
    CRON_JOB,
    ZONED,
    'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  ],
  [
    'an unknown zone',
    'validateTimeZone',
    CRON_JOB,
    withSpec({ timeZone: 'Nowhere/Land' }),
    'spec.timeZone: Invalid value: "Nowhere/Land": unknown time zone Nowhere/Land',
  ],
  [
    'wherever this runs',
    'validateTimeZone',
    CRON_JOB,
    withSpec({ timeZone: 'Local' }),
    'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
  ],
  [
    'an unknown policy, negative limits',
    'validateConcurrencyPolicy',
    CRON_JOB,
    withSpec({ concurrencyPolicy: 'Foo', failedJobsHistoryLimit: -1 }),
    'spec.concurrencyPolicy: Unsupported value: "Foo": supported values: "Allow", "Forbid", "Replace"',
    'spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'a selector for its jobs',
    'ValidateJobTemplateSpec',
    CRON_JOB,
    withSpec({
      jobTemplate: { spec: { template: TEMPLATE, selector: { matchLabels: { a: 'b' } }, manualSelector: true } },
    }),
    'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
    'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
  ],
  [
    'a name that leaves no room',
    'ValidateCronJobCreate',
    CRON_JOB,
    { metadata: { name: 'x'.repeat(53) }, spec: RIGHT },
    `metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`,
  ],
]);

checkUpdate('cron jobs', [
  ['the schedule', 'ValidateCronJobUpdate', CRON_JOB, { spec: RIGHT }, withSpec({ schedule: '@daily' })],
  ['a zone that was there', 'validateScheduleFormat', CRON_JOB, ZONED, ZONED],
  [
    'a second zone',
    'validateScheduleFormat',
    CRON_JOB,
    ZONED,
    withSpec({ schedule: 'TZ=UTC 0 0 * * *', timeZone: 'UTC' }),
    'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
  ],
]);
