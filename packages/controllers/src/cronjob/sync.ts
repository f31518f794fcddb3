import { formatTime, messageOf } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { deepEqual, isControlledBy, status } from '@binnacle/machinery';
import { CRON_JOBS, isTimeZone, JOBS, parseCronSchedule } from '@binnacle/api';
import type { CronSchedule } from '@binnacle/api';
import type { CronJob, CronJobStatus, Job } from '@binnacle/api/batch/v1';
import type { ObjectReference } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Client, Draft, EventRecorder, Informer } from '@binnacle/client';
import {
  BY_CONTROLLER,
  controllerReference,
  deleteIfThere,
  getOrUndefined,
  isNamespaceTerminating,
  OwnWrites,
} from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { followJobs, surplusJobs } from './history.ts';
import type { JobNote } from './history.ts';
import { latestTimeMs, nextTimeMs, wallClockOf } from './times.ts';
import type { WallClock } from './times.ts';

/** What the sync works with. Jobs need OWNERSHIP_INDEXES. */
export interface CronJobSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cronJobs: Informer<CronJob>;
  readonly jobs: Informer<Job>;
}

/** Upstream's: a schedule is looked at this long after its time, so that clocks may differ a little. */
const DELTA_MS = 100;
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

interface Plan {
  readonly schedule: CronSchedule;
  readonly wall: WallClock;
}

/** One cron job, one round: follow its jobs → drop old ones → start one whose time has come → report. */
export class CronJobSync {
  readonly #options: CronJobSyncOptions;
  readonly #writes: OwnWrites;

  constructor(options: CronJobSyncOptions) {
    this.#options = options;
    this.#writes = new OwnWrites(options.clock, options.cronJobs);
  }

  see(cronJob: CronJob): void {
    this.#writes.see(cacheKey(cronJob), cronJob);
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const { cronJobs, jobs } = this.#options;
    const cronJob = cronJobs.get(key);
    if (cronJob === undefined) return this.#writes.forget(key);
    const behind = this.#writes.remainingMs(key);
    if (behind > 0) return context.postpone(behind + 1);
    const children = jobs.byIndex(BY_CONTROLLER, cronJob.metadata.uid ?? '');
    for (const job of surplusJobs(cronJob, children)) await this.#drop(cronJob, job, context);
    const followed = followJobs(cronJob.status ?? {}, children);
    const notes = await this.#withoutUnseen(cronJob, followed.notes, context);
    const kept = (cronJob.status?.active ?? []).filter(
      (one) => followed.status.active?.includes(one) === true || isUnseen(one, followed.notes, notes),
    );
    for (const note of notes) this.#tellNote(cronJob, note, context);
    const seen = { ...followed.status, active: kept };
    const after = cronJob.metadata.deletionTimestamp === undefined ? await this.#start(cronJob, seen, context) : seen;
    await this.#report(cronJob, after, context);
  }

  /** A job that the cache lacks may just not have come yet: the server is asked. */
  async #withoutUnseen(cronJob: CronJob, notes: readonly JobNote[], context: SyncContext): Promise<readonly JobNote[]> {
    const told: JobNote[] = [];
    const jobs = this.#options.client.resource(JOBS, cronJob.metadata.namespace);
    for (const note of notes) {
      const missing = note.kind === 'missing';
      if (!missing || (await getOrUndefined(jobs, note.name, context)) === undefined) told.push(note);
    }
    return told;
  }

  /** Starts the job whose time has come, if any, and asks to be woken for the next. */
  async #start(cronJob: CronJob, seen: CronJobStatus, context: SyncContext): Promise<CronJobStatus> {
    const { spec } = cronJob;
    if (spec.suspend === true) return seen;
    const plan = this.#readSchedule(cronJob, context);
    if (plan === undefined) return seen;
    const nowMs = this.#options.clock.now();
    const next = nextTimeMs(plan.schedule, nowMs, plan.wall);
    if (next !== undefined) context.requeueAfter(next - nowMs + DELTA_MS);
    const atMs = this.#dueMs(cronJob, { plan, seen, nowMs }, context);
    if (atMs === undefined) return seen;
    const running = seen.active ?? [];
    if (spec.concurrencyPolicy === 'Forbid' && running.length > 0) {
      const why = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#tell(cronJob, ['Normal', 'JobAlreadyActive', why], context);
      return seen;
    }
    let active = running;
    if (spec.concurrencyPolicy === 'Replace') {
      for (const { name = '', uid = '' } of running) await this.#drop(cronJob, { metadata: { name, uid } }, context);
      active = [];
    }
    const job = await this.#createJob(cronJob, atMs, context);
    if (job === undefined) return { ...seen, active };
    const reference = referenceTo(JOBS, job);
    const lastScheduleTime = formatTime(atMs);
    const known = active.some((one) => one.uid === job.metadata.uid);
    return { ...seen, active: known ? active : [...active, reference], lastScheduleTime };
  }

  #readSchedule(cronJob: CronJob, context: SyncContext): Plan | undefined {
    const { schedule: text, timeZone } = cronJob.spec;
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      const why = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
      this.#tell(cronJob, ['Warning', 'UnknownTimeZone', why], context);
      return undefined;
    }
    const parsed = parseCronSchedule(text);
    if ('error' in parsed) {
      const why = `unparseable schedule: ${JSON.stringify(text)} : ${parsed.error}`;
      this.#tell(cronJob, ['Warning', 'UnparseableSchedule', why], context);
      return undefined;
    }
    const { schedule } = parsed;
    const own = 'everySeconds' in schedule ? undefined : schedule.timeZone;
    return { schedule, wall: wallClockOf(timeZone ?? own) };
  }

  /** The time for which a job is to be started now, ms; undefined when none is, or it is too late. */
  #dueMs(
    cronJob: CronJob,
    { plan, seen, nowMs }: { readonly plan: Plan; readonly seen: CronJobStatus; readonly nowMs: number },
    context: SyncContext,
  ): number | undefined {
    const { startingDeadlineSeconds } = cronJob.spec;
    const since = Date.parse(seen.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '');
    const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000;
    const earliestMs = deadlineMs === undefined ? since : Math.max(since, nowMs - deadlineMs);
    const { latestMs, tooMany } = latestTimeMs(plan.schedule, { earliestMs, nowMs }, plan.wall);
    if (tooMany) {
      const why = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      this.#tell(cronJob, ['Warning', 'TooManyMissedTimes', why], context);
    }
    if (latestMs === undefined || seen.lastScheduleTime === formatTime(latestMs)) return undefined;
    if (deadlineMs !== undefined && latestMs + deadlineMs < nowMs) {
      const why = `Missed scheduled time to start a job: ${formatTime(latestMs)}`;
      this.#tell(cronJob, ['Warning', 'MissSchedule', why], context);
      return undefined;
    }
    return latestMs;
  }

  /** The name is made from the time, so that one time has one job, whatever is killed in between. */
  async #createJob(cronJob: CronJob, atMs: number, context: SyncContext): Promise<Job | undefined> {
    const { jobTemplate, timeZone } = cronJob.spec;
    const { name: owner = '', namespace = '' } = cronJob.metadata;
    const name = `${owner}-${Math.floor(atMs / 60_000)}`;
    const { labels, annotations } = jobTemplate.metadata;
    const draft: Draft<Job> = {
      metadata: {
        name,
        namespace,
        ...(labels === undefined ? {} : { labels }),
        annotations: { ...annotations, [SCHEDULED_AT]: zonedTime(atMs, timeZone) },
        ownerReferences: [controllerReference(CRON_JOBS, cronJob)],
      },
      spec: jobTemplate.spec,
    };
    const jobs = this.#options.client.resource(JOBS, namespace);
    try {
      const job = await jobs.create(draft, undefined, context);
      this.#tell(cronJob, ['Normal', 'SuccessfulCreate', `Created job ${name}`], context);
      return job;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      const existing = status.isAlreadyExists(error) ? await getOrUndefined(jobs, name, context) : undefined;
      if (existing !== undefined && isControlledBy(existing, cronJob)) return existing;
      if (!context.signal.aborted) {
        this.#tell(cronJob, ['Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`], context);
      }
      throw error;
    }
  }

  async #drop(cronJob: CronJob, job: Pick<Job, 'metadata'>, context: SyncContext): Promise<void> {
    const { name = '', uid = '' } = job.metadata;
    const client = this.#options.client.resource(JOBS, cronJob.metadata.namespace);
    try {
      const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
      if (!(await deleteIfThere({ client, context }, name, options))) return;
      this.#tell(cronJob, ['Normal', 'SuccessfulDelete', `Deleted job ${name}`], context);
    } catch (error) {
      if (status.isConflict(error)) return;
      this.#tell(cronJob, ['Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`], context);
      throw error;
    }
  }

  /** A conflict is an error: what was started belongs to what was seen, and is met again. */
  async #report(cronJob: CronJob, after: CronJobStatus, context: SyncContext): Promise<void> {
    if (deepEqual({ active: [], ...cronJob.status }, { active: [], ...after })) return;
    const client = this.#options.client.resource(CRON_JOBS, cronJob.metadata.namespace);
    this.#writes.wrote(cacheKey(cronJob), await client.updateStatus({ ...cronJob, status: after }, undefined, context));
  }

  #tellNote(cronJob: CronJob, note: JobNote, context: SyncContext): void {
    switch (note.kind) {
      case 'unexpected': {
        const why = `Saw a job that the controller did not create or forgot: ${note.name}`;
        return this.#tell(cronJob, ['Warning', 'UnexpectedJob', why], context);
      }
      case 'completed': {
        const why = `Saw completed job: ${note.name}, condition: ${note.condition}`;
        return this.#tell(cronJob, ['Normal', 'SawCompletedJob', why], context);
      }
      case 'missing':
        return this.#tell(cronJob, ['Normal', 'MissingJob', `Active job went missing: ${note.name}`], context);
    }
  }

  #tell(cronJob: CronJob, what: readonly ['Normal' | 'Warning', string, string], context: SyncContext): void {
    this.#options.events.event(referenceTo(CRON_JOBS, cronJob), ...what, context);
  }
}

/** The cache lacked the job and the server has it: it stays on the list. */
function isUnseen(reference: ObjectReference, all: readonly JobNote[], told: readonly JobNote[]): boolean {
  const isOf = (note: JobNote): boolean => note.kind === 'missing' && note.name === reference.name;
  return all.some(isOf) && !told.some(isOf);
}

/** RFC 3339 with the offset of the zone, as upstream writes it. */
function zonedTime(ms: number, timeZone: string | undefined): string {
  if (timeZone === undefined || timeZone === '' || timeZone === 'UTC') return formatTime(ms);
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms);
  const offset = (parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT').slice(3);
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d+):(\d+)$/.exec(offset) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return formatTime(ms + shift).replace('Z', offset === '' ? 'Z' : offset);
}
