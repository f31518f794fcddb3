import type { Clock } from '@binnacle/base';
import { controllerOf, deepEqual, selectorFromObject, status } from '@binnacle/machinery';
import { isPodActive, JOBS, PODS } from '@binnacle/api';
import type { Job, JobStatus } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder, Informer } from '@binnacle/client';
import {
  BY_CONTROLLER,
  claimObjects,
  getOrUndefined,
  isNamespaceTerminating,
  NumberBook,
  orphansFor,
  OwnWrites,
  PodControl,
  runInSlowStartBatches,
} from '@binnacle/reconcile';
import type { Expectations, PodOrder, SyncContext } from '@binnacle/reconcile';
import { account, conditionOf, isJob, isLetGo, isTrackedPod, lacksTracking, LET_GO, TRACKING } from './accounting.ts';
import type { Account, JobSeen } from './accounting.ts';
import { deadlineMs, decideEnding, failuresByIndex, isFinished, planPods, podCounts } from './decide.ts';
import type { Ending, JobPlan } from './decide.ts';
import { creationReason } from './figures.ts';
import type { JobFigures, SyncAction } from './figures.ts';
import { FailureBook } from './failure-book.ts';
import { indexOf } from './index-failures.ts';
import { namesFor, podFor } from './new-pod.ts';
import { jobStatus } from './status.ts';
import { WrittenPods } from './written-pods.ts';

/** What the sync works with. The caches need OWNERSHIP_INDEXES. */
export interface JobSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly expectations: Expectations;
  readonly jobs: Informer<Job>;
  readonly pods: Informer<Pod>;
  readonly figures: JobFigures;
}

const MANAGER = 'kubernetes.io/job-controller';

/** One job, one round: claim → count → end or plan → act → report → let go of what is on record. */
export class JobSync {
  readonly #options: JobSyncOptions;
  readonly #control: PodControl<Job>;
  readonly #numbers = new NumberBook();
  readonly #writes: OwnWrites;
  /** Per job, under which owners the numbers of its indexes are kept. */
  readonly #indexOwners = new Map<string, Set<string>>();
  /** UIDs of pods that are gone, which the cache still shows. */
  readonly #released = new Set<string>();
  readonly #written: WrittenPods;
  readonly #failures = new FailureBook();

  constructor(options: JobSyncOptions) {
    this.#options = options;
    this.#control = new PodControl({ ...options, ref: JOBS });
    this.#writes = new OwnWrites(options.clock, options.jobs);
    this.#written = new WrittenPods(options.pods);
  }

  /** The cache shows the job now. */
  see(job: Job): void {
    this.#writes.see(cacheKey(job), job);
  }

  forget(job: Job): void {
    const key = cacheKey(job);
    this.#options.expectations.forget(key);
    this.#writes.forget(key);
    this.#failures.forget(job);
    for (const owner of this.#indexOwners.get(key) ?? []) this.#numbers.forget(owner);
    this.#indexOwners.delete(key);
    this.#numbers.forget(job.metadata.uid ?? '');
  }

  /** The cache shows this of a pod, or that it is gone. */
  settle(pod: Pod, gone: boolean): void {
    if (gone) this.#released.delete(pod.metadata.uid ?? '');
    this.#written.settle(pod, gone);
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const { jobs, clock, figures } = this.#options;
    const job = jobs.get(key);
    if (job === undefined || (job.spec.managedBy ?? MANAGER) !== MANAGER) return;
    const behind = this.#writes.remainingMs(key);
    if (behind > 0) return context.postpone(behind + 1);
    // Of one that is over nobody counts the looks, as upstream.
    if (isFinished(job)) {
      this.#failures.forget(job);
      return this.#release((await this.#claim(job, context)).filter(isTrackedPod), context);
    }
    const since = clock.monotonic();
    const done: { action: SyncAction; failed: boolean } = { action: 'reconciling', failed: true };
    try {
      await this.#round(job, { key, done }, context);
      done.failed = false;
    } finally {
      figures.synced(job, { ...done, seconds: (clock.monotonic() - since) / 1000 });
    }
  }

  async #round(
    job: Job,
    { key, done }: { readonly key: string; readonly done: { action: SyncAction } },
    context: SyncContext,
  ): Promise<void> {
    const { expectations, clock } = this.#options;
    const pods = await this.#claim(job, context);
    const isReleased = (pod: Pod): boolean => this.#released.has(pod.metadata.uid ?? '');
    const seen: JobSeen = { job, pods, isReleased, failedAtMs: this.#failures.note(job, pods), nowMs: clock.now() };
    const book = account(seen);
    const ending = decideEnding(seen, book);
    const wait = expectations.remainingMs(key);
    if (wait > 0) context.postpone(wait + 1);
    // That the job ends is on record before pods are ended for it: how they count hangs on it, whoever counts them.
    const isFirst = ending !== undefined && conditionOf(job, ending.type) === undefined;
    const report = (): Promise<void> =>
      this.#report(job, { after: jobStatus(seen, book, ending), judged: book.judged }, context);
    if (isFirst) await report();
    const failure = wait > 0 ? undefined : await this.#act(seen, { book, ending, done }, context);
    if (!isFirst) await report();
    await this.#release(book.release, context);
    const deadline = deadlineMs(job);
    if (deadline !== undefined && deadline > seen.nowMs) context.requeueAfter(deadline - seen.nowMs);
    if (failure !== undefined && !isNamespaceTerminating(failure)) throw failure;
  }

  /** A pod that is kept for a job which is not there (any more): nobody will count it. */
  async releaseOrphan(key: string, context: SyncContext): Promise<void> {
    const { pods, client } = this.#options;
    const pod = pods.get(key);
    if (pod === undefined || !isTrackedPod(pod)) return;
    const controller = controllerOf(pod);
    if (controller !== undefined && !isJob(controller)) return;
    if (controller !== undefined) {
      // The server is asked: the cache of jobs may be behind that of pods.
      const job = await getOrUndefined(client.resource(JOBS, pod.metadata.namespace), controller.name, context);
      if (job?.metadata.uid === controller.uid) return;
    }
    await this.#release([pod], context);
  }

  /** The job's pods, all that are to be counted tracked. */
  async #claim(job: Job, context: SyncContext): Promise<readonly Pod[]> {
    const { pods, client, expectations } = this.#options;
    const { uid = '', namespace = '' } = job.metadata;
    const selector = selectorFromObject(job.spec.selector ?? {});
    const candidates = [...pods.byIndex(BY_CONTROLLER, uid), ...orphansFor(pods, namespace, selector)];
    const claim = { client, owner: job, ownerRef: JOBS, selector, ref: PODS, candidates };
    const mine = (await claimObjects(claim, context)).map((pod) => this.#written.latest(pod));
    // What was deleted just now may still be in the cache as it was before.
    if (isFinished(job) || expectations.remainingMs(cacheKey(job)) > 0) return mine;
    const tracked: Pod[] = [];
    for (const pod of mine) tracked.push(lacksTracking(pod) ? await this.#track(pod, context) : pod);
    return tracked;
  }

  /** The pod with the finalizer; the plan goes by it, not by what the cache still shows. */
  async #track(pod: Pod, context: SyncContext): Promise<Pod> {
    const { name = '', namespace, uid, finalizers = [], resourceVersion } = pod.metadata;
    const metadata = { uid, resourceVersion, annotations: { [LET_GO]: null }, finalizers: [...finalizers, TRACKING] };
    const pods = this.#options.client.resource(PODS, namespace);
    return this.#written.note(await pods.patch(name, 'merge', { metadata }, undefined, context));
  }

  async #act(
    seen: JobSeen,
    {
      book,
      ending,
      done,
    }: { readonly book: Account; readonly ending: Ending | undefined; readonly done: { action: SyncAction } },
    context: SyncContext,
  ): Promise<unknown> {
    const { job } = seen;
    const order = { owner: job, key: cacheKey(job) };
    if (ending !== undefined) {
      const left = seen.pods.filter(isPodActive).map((pod) => this.#control.remove(order, pod, context));
      return firstFailure(await Promise.allSettled(left));
    }
    const plan = planPods(seen, book);
    done.action = actionOf(job, plan);
    if (plan.waitMs !== undefined) context.requeueAfter(plan.waitMs);
    const keep = seen.pods.filter((pod) => isPodActive(pod) && isLetGo(pod) && !plan.remove.includes(pod));
    for (const pod of keep) await this.#track(pod, context);
    const removals = plan.remove.map((pod) => this.#letGo(order, pod, context));
    const removed = firstFailure(await Promise.allSettled(removals));
    return removed ?? (await this.#create(seen, { plan, book }, context));
  }

  /**
   * Deletes a pod that is too many, which does not count as failed. It may end by itself at any moment, and we may die between
   * the two writes: both are for the pod exactly as it was, and until the second whoever finds the mark counts it after all.
   */
  async #letGo(order: PodOrder<Job>, pod: Pod, context: SyncContext): Promise<void> {
    const asSeen = { ...order, unchanged: true } as const;
    if (!isTrackedPod(pod)) return this.#control.remove(asSeen, pod, context);
    const { name = '', namespace, uid = '', resourceVersion } = pod.metadata;
    const annotations = { [LET_GO]: 'true' };
    const metadata = { uid, resourceVersion, annotations, '$deleteFromPrimitiveList/finalizers': [TRACKING] };
    const pods = this.#options.client.resource(PODS, namespace);
    try {
      const untracked = this.#written.note(await pods.patch(name, 'strategic', { metadata }, undefined, context));
      await this.#control.remove(asSeen, untracked, context);
    } catch (error) {
      if (!status.isNotFound(error)) throw error;
    }
  }

  async #create(
    seen: JobSeen,
    { plan, book }: { readonly plan: JobPlan; readonly book: Account },
    context: SyncContext,
  ): Promise<unknown> {
    const { job } = seen;
    const numbered = this.#numberAll(seen, plan.create);
    const failed = failuresByIndex(seen);
    let [made, refused] = [0, 0];
    const { error } = await runInSlowStartBatches(numbered.length, async (at) => {
      const one = numbered[at];
      if (one === undefined) return;
      const { index, number, owner } = one;
      const name = namesFor(job, index).nameOf(number);
      const draft = podFor(job, { name, index, failures: index === undefined ? undefined : failed.get(index) });
      try {
        await this.#numbers.create(owner, { number }, () =>
          this.#control.create({ owner: job, key: cacheKey(job) }, draft, context),
        );
        made++;
      } catch (error) {
        if (!isNamespaceTerminating(error)) refused++;
        throw error;
      }
    });
    const reason = creationReason(job, book, podCounts(seen.pods).terminating);
    this.#options.figures.made({ reason, made, refused });
    return error;
  }

  /** The next number of each pod to make, of the job or of its index. */
  #numberAll(
    { job, pods }: JobSeen,
    create: JobPlan['create'],
  ): readonly { readonly index: number | undefined; readonly number: number; readonly owner: string }[] {
    const uid = job.metadata.uid ?? '';
    if (create.length === 0) return [];
    if (create[0] === undefined) {
      const existing = pods.map((pod) => pod.metadata.name ?? '');
      const numbers = this.#numbers.next(uid, create.length, { names: namesFor(job, undefined), existing });
      return numbers.map((number) => ({ index: undefined, number, owner: uid }));
    }
    const byIndex = new Map<number | undefined, string[]>();
    for (const pod of pods) {
      const index = indexOf(pod);
      const there = byIndex.get(index);
      if (there === undefined) byIndex.set(index, [pod.metadata.name ?? '']);
      else there.push(pod.metadata.name ?? '');
    }
    let owners = this.#indexOwners.get(cacheKey(job));
    if (owners === undefined) this.#indexOwners.set(cacheKey(job), (owners = new Set()));
    return create.map((index) => {
      const owner = `${uid}/${index}`;
      owners.add(owner);
      const existing = byIndex.get(index) ?? [];
      const [number = 0] = this.#numbers.next(owner, 1, { names: namesFor(job, index), existing });
      return { index, number, owner };
    });
  }

  /** A conflict is an error: what was counted belongs to what was seen. */
  async #report(
    job: Job,
    { after, judged }: { readonly after: JobStatus; readonly judged: Account['judged'] },
    context: SyncContext,
  ): Promise<void> {
    if (deepEqual(normal(job.status), normal(after))) return;
    const jobs = this.#options.client.resource(JOBS, job.metadata.namespace);
    this.#writes.wrote(cacheKey(job), await jobs.updateStatus({ ...job, status: after }, undefined, context));
    this.#options.figures.counted(job, after, judged);
    this.#tellTurns(job, after, context);
  }

  #tellTurns(job: Job, after: JobStatus, context: SyncContext): void {
    const about = referenceTo(JOBS, job);
    const { events } = this.#options;
    for (const { type, status: is, reason = '', message = '' } of after.conditions ?? []) {
      const was = job.status?.conditions?.find((one) => one.type === type)?.status;
      if (was === is) continue;
      if (type === 'Complete' && is === 'True') {
        if ((after.succeeded ?? 0) > (job.spec.completions ?? Infinity)) {
          const many = 'Too many succeeded pods running after completion count reached';
          events.event(about, 'Warning', 'TooManySucceededPods', many, context);
        }
        events.event(about, 'Normal', 'Completed', 'Job completed', context);
      }
      if (type === 'Failed' && is === 'True') events.event(about, 'Warning', reason, message, context);
      if (type !== 'Suspended') continue;
      const [what, text] = is === 'True' ? ['Suspended', 'Job suspended'] : ['Resumed', 'Job resumed'];
      events.event(about, 'Normal', what, text, context);
    }
  }

  async #release(pods: readonly Pod[], context: SyncContext): Promise<void> {
    const results = await Promise.allSettled(
      pods.map(async (pod) => {
        const { name = '', namespace, uid = '' } = pod.metadata;
        if (!isTrackedPod(this.#written.latest(pod)) || this.#released.has(uid)) return;
        const patch = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
        try {
          const api = this.#options.client.resource(PODS, namespace);
          this.#written.note(await api.patch(name, 'strategic', patch, undefined, context));
        } catch (error) {
          // Gone, or another pod of that name: ours has no finalizer any more.
          if (!status.isNotFound(error) && !status.isInvalid(error) && !status.isConflict(error)) throw error;
          this.#noteGone(pod);
        }
      }),
    );
    const failure = firstFailure(results);
    if (failure !== undefined) throw failure;
  }

  #noteGone(pod: Pod): void {
    const cached = this.#options.pods.get(cacheKey(pod));
    const { uid = '' } = pod.metadata;
    if (cached?.metadata.uid === uid) this.#released.add(uid);
  }
}

function actionOf({ spec }: Job, { create, remove, waitMs }: JobPlan): SyncAction {
  if (create.length > 0 || waitMs !== undefined) return 'pods_created';
  return remove.length > 0 || spec.suspend === true ? 'pods_deleted' : 'tracking';
}

function firstFailure(results: readonly PromiseSettledResult<unknown>[]): unknown {
  return results.find((one) => one.status === 'rejected')?.reason;
}

/** Absent and zero counts are the same. */
function normal(value: JobStatus | undefined): unknown {
  const zero = { active: 0, ready: 0, terminating: 0, succeeded: 0, failed: 0, conditions: [], failedIndexes: '' };
  const { uncountedTerminatedPods = {}, ...rest } = value ?? {};
  const { succeeded = [], failed = [] } = uncountedTerminatedPods;
  return { ...zero, ...rest, uncounted: { succeeded, failed } };
}
