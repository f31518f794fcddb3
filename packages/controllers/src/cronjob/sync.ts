import { formatTime, messageOf } from '@binnacle/base';
import type { Clock, SpreadFigure } from '@binnacle/base';
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
import { latestTimeMs, upcomingTimeMs, wallClockOf } from './times.ts';
import type { WallClock } from './times.ts';

/** What the sync works with. Jobs need OWNERSHIP_INDEXES. */
export interface CronJobSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cronJobs: Informer<CronJob>;
  readonly jobs: Informer<Job>;
  /** How late jobs are made, seconds. */
  readonly skew: SpreadFigure;
}

/** Upstream's: a schedule is looked at this long after its time, so that clocks may differ a little. */
const DELTA_MS = 100;
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

interface Plan {
  readonly schedule: CronSchedule;
  readonly wall: WallClock;
  /** Times before this one are nobody's business any more, ms. */
  readonly sinceMs: number;
}

/** What a step made of the status, and what kept it from going on: the status is written all the same. */
interface Outcome {
  readonly status: CronJobStatus;
  readonly failure?: unknown;
}

/** One cron job, one round: follow its jobs → drop old ones → start one whose time has come → report. */
export class CronJobSync {
  readonly #options: CronJobSyncOptions;
  readonly #writes: OwnWrites;
  /** When the schedule of a cron job was seen to change, ms, by key: the new one has missed nothing before that. */
  readonly #changedAt = new Map<string, number>();

  constructor(options: CronJobSyncOptions) {
    this.#options = options;
    this.#writes = new OwnWrites(options.clock, options.cronJobs);
  }

  see(cronJob: CronJob, before?: CronJob): void {
    const key = cacheKey(cronJob);
    this.#writes.see(key, cronJob);
    if (before !== undefined && timesOf(before) !== timesOf(cronJob)) {
      this.#changedAt.set(key, this.#options.clock.now());
    }
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const { cronJobs, jobs } = this.#options;
    const cronJob = cronJobs.get(key);
    if (cronJob === undefined) {
      this.#changedAt.delete(key);
      return this.#writes.forget(key);
    }
    const behind = this.#writes.remainingMs(key);
    if (behind > 0) return context.postpone(behind + 1);
    const children = jobs.byIndex(BY_CONTROLLER, cronJob.metadata.uid ?? '');
    // One that cannot be deleted must not keep the next from being started.
    const { failure: stuck } = await this.#dropAll(cronJob, surplusJobs(cronJob, children), context);
    const followed = followJobs(cronJob.status ?? {}, children);
    const notes = await this.#withoutUnseen(cronJob, followed.notes, context);
    const kept = (cronJob.status?.active ?? []).filter(
      (one) => followed.status.active?.includes(one) === true || isUnseen(one, followed.notes, notes),
    );
    for (const note of notes) this.#tellNote(cronJob, note, context);
    const seen = { ...followed.status, active: kept };
    const isGoing = cronJob.metadata.deletionTimestamp !== undefined;
    const started: Outcome = isGoing ? { status: seen } : await this.#start(cronJob, seen, context);
    await this.#report(cronJob, started.status, context);
    const failure = started.failure ?? stuck;
    if (failure !== undefined) throw failure;
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
  async #start(cronJob: CronJob, seen: CronJobStatus, context: SyncContext): Promise<Outcome> {
    const { spec } = cronJob;
    if (spec.suspend === true) return { status: seen };
    const plan = this.#readSchedule(cronJob, context);
    if (plan === undefined) return { status: seen };
    const nowMs = this.#options.clock.now();
    const next = upcomingTimeMs(plan.schedule, { sinceMs: plan.sinceMs, nowMs }, plan.wall);
    if (next === undefined) {
      const why = `invalid schedule: ${spec.schedule} : time difference between two schedules is less than 1 second`;
      this.#tell(cronJob, ['Warning', 'InvalidSchedule', why], context);
      return { status: seen };
    }
    context.requeueAfter(next - nowMs + DELTA_MS);
    const atMs = this.#dueMs(cronJob, { plan, seen, nowMs }, context);
    if (atMs === undefined) return { status: seen };
    const running = seen.active ?? [];
    if (spec.concurrencyPolicy === 'Forbid' && running.length > 0) {
      const why = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#tell(cronJob, ['Normal', 'JobAlreadyActive', why], context);
      return { status: seen };
    }
    const replaced = spec.concurrencyPolicy === 'Replace' ? running : [];
    const { dropped, failure } = await this.#dropAll(cronJob, replaced.map(asJob), context);
    const active = running.filter(({ uid }) => !dropped.has(uid));
    if (failure !== undefined) return { status: { ...seen, active }, failure };
    try {
      const job = await this.#createJob(cronJob, atMs, context);
      if (job === undefined) return { status: { ...seen, active } };
      const known = active.some(({ uid }) => uid === job.metadata.uid);
      const after = known ? active : [...active, referenceTo(JOBS, job)];
      return { status: { ...seen, active: after, lastScheduleTime: formatTime(atMs) } };
    } catch (error) {
      return { status: { ...seen, active }, failure: error };
    }
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
    const { creationTimestamp } = cronJob.metadata;
    const lastMs = Date.parse(cronJob.status?.lastScheduleTime ?? creationTimestamp ?? '');
    const sinceMs = Math.max(lastMs, this.#changedAt.get(cacheKey(cronJob)) ?? lastMs);
    return { schedule, wall: wallClockOf(timeZone ?? own), sinceMs };
  }

  /** The time for which a job is to be started now, ms; undefined when none is, or it is too late. */
  #dueMs(
    cronJob: CronJob,
    { plan, seen, nowMs }: { readonly plan: Plan; readonly seen: CronJobStatus; readonly nowMs: number },
    context: SyncContext,
  ): number | undefined {
    const { startingDeadlineSeconds } = cronJob.spec;
    const { sinceMs } = plan;
    const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000;
    const earliestMs = deadlineMs === undefined ? sinceMs : Math.max(sinceMs, nowMs - deadlineMs);
    const { latestMs, tooMany } = latestTimeMs(plan.schedule, { sinceMs, earliestMs, nowMs }, plan.wall);
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
      this.#options.skew.observe([], (Date.parse(job.metadata.creationTimestamp ?? '') - atMs) / 1000);
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

  /** Deletes what can be deleted; answers the uids of those, and the first failure. */
  async #dropAll(
    cronJob: CronJob,
    jobs: readonly Pick<Job, 'metadata'>[],
    context: SyncContext,
  ): Promise<{ readonly dropped: ReadonlySet<string | undefined>; readonly failure: unknown }> {
    const dropped = new Set<string | undefined>();
    let failure: unknown;
    for (const job of jobs) {
      try {
        await this.#drop(cronJob, job, context);
        dropped.add(job.metadata.uid);
      } catch (error) {
        failure ??= error;
      }
    }
    return { dropped, failure };
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

/** What decides when jobs are due. */
function timesOf({ spec }: CronJob): string {
  return `${spec.timeZone ?? ''} ${spec.schedule}`;
}

/** As much of a job as its deletion needs. */
function asJob({ name = '', uid = '' }: ObjectReference): Pick<Job, 'metadata'> {
  return { metadata: { name, uid } };
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
