import { messageOf } from '@binnacle/base';
import type { Clock, RolloutMeasures } from '@binnacle/base';
import { selectorFromObject, status } from '@binnacle/machinery';
import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '@binnacle/api';
import type { ControllerRevision, StatefulSet } from '@binnacle/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder, Informer } from '@binnacle/client';
import {
  BY_CONTROLLER,
  claimObjects,
  commitStatus,
  isNamespaceTerminating,
  orphansFor,
  PodControl,
  ReportPace,
  runInSlowStartBatches,
} from '@binnacle/reconcile';
import type { Expectations, PodWords, SyncContext } from '@binnacle/reconcile';
import { dropRevisions, recordRevision, surplusRevisions, templateOf } from '../controller-history.ts';
import { claimFate, hasConflictingOwner, isStaleClaim, withFate } from './claims.ts';
import { claimsFor, ordinalOf, podFor, podNameOf, revisionOfPod, withIdentity } from './identity.ts';
import type { SetRevision } from './identity.ts';
import { nextAvailableMs, planSet } from './plan.ts';
import type { SetPlan, SetSeen } from './plan.ts';
import { statusOf } from './status.ts';

/** What the sync works with. The caches need OWNERSHIP_INDEXES, claims none. */
export interface StatefulSetSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly expectations: Expectations;
  readonly sets: Informer<StatefulSet>;
  readonly pods: Informer<Pod>;
  readonly revisions: Informer<ControllerRevision>;
  readonly claims: Informer<PersistentVolumeClaim>;
  /** The feature gate MaxUnavailableStatefulSet. */
  readonly maySeveralRoll: boolean;
  /** Absent: nobody keeps score. */
  readonly rollouts?: RolloutMeasures;
}

const WORDS: PodWords<StatefulSet> = (verb, { owner, pod, error }) => {
  const what = `${verb} Pod ${pod} in StatefulSet ${owner.metadata.name ?? ''}`;
  return error === undefined ? `${what} successful` : `${what} failed error: ${messageOf(error)}`;
};

/** One set, one round: claim → record the revision → plan → act → report → forget old revisions. */
export class StatefulSetSync {
  readonly #options: StatefulSetSyncOptions;
  readonly #control: PodControl<StatefulSet>;
  readonly #reports: ReportPace;

  constructor(options: StatefulSetSyncOptions) {
    this.#options = options;
    this.#control = new PodControl({ ...options, ref: STATEFUL_SETS, words: WORDS });
    this.#reports = new ReportPace(options.clock);
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const { sets, expectations, clock, client, maySeveralRoll, rollouts } = this.#options;
    const set = sets.get(key);
    if (set === undefined) {
      expectations.forget(key);
      this.#reports.forget(key);
      rollouts?.gone(key);
      return;
    }
    const wait = expectations.remainingMs(key);
    const pods = await this.#claimPods(set, context);
    const revisions = await this.#claimRevisions(set, context);
    const history = {
      ref: STATEFUL_SETS,
      owner: set,
      template: set.spec.template,
      revisions,
      collisionCount: set.status?.collisionCount ?? 0,
      labels: (hash: string) => ({ ...set.spec.template.metadata.labels, 'controller.kubernetes.io/hash': hash }),
    };
    const recorded = await recordRevision(client, history, context);
    const update = asRevision(recorded.revision, set);
    const known = revisions.find((one) => one.metadata.name === set.status?.currentRevision);
    const current = known === undefined ? update : asRevision(known, set);
    const seen: SetSeen = { set, current, update, pods, nowMs: clock.now(), maySeveralRoll };
    if (wait > 0) context.postpone(wait + 1);
    const failure = wait > 0 ? undefined : await this.#carryOut(seen, planSet(seen), context);
    await this.#report(seen, recorded.collisionCount, context);
    const live = new Set([current.name, update.name, ...pods.map(revisionOfPod)]);
    const isLive = (one: ControllerRevision): boolean => live.has(one.metadata.name ?? '');
    const limit = set.spec.revisionHistoryLimit ?? 10;
    await dropRevisions(client, surplusRevisions(revisions, isLive, limit), context);
    const soon = nextAvailableMs(seen);
    if (soon !== undefined) context.requeueAfter(soon);
    if (failure !== undefined && !isNamespaceTerminating(failure)) throw failure;
  }

  async #claimPods(set: StatefulSet, context: SyncContext): Promise<readonly Pod[]> {
    const { pods, client } = this.#options;
    const { uid = '', namespace = '' } = set.metadata;
    const selector = selectorFromObject(set.spec.selector ?? {});
    const candidates = [...pods.byIndex(BY_CONTROLLER, uid), ...orphansFor(pods, namespace, selector)].filter(
      (pod) => ordinalOf(set, pod.metadata.name ?? '') !== undefined,
    );
    return claimObjects({ client, owner: set, ownerRef: STATEFUL_SETS, selector, ref: PODS, candidates }, context);
  }

  async #claimRevisions(set: StatefulSet, context: SyncContext): Promise<readonly ControllerRevision[]> {
    const { revisions, client } = this.#options;
    const { uid = '', namespace = '' } = set.metadata;
    const selector = selectorFromObject(set.spec.selector ?? {});
    const candidates = [...revisions.byIndex(BY_CONTROLLER, uid), ...orphansFor(revisions, namespace, selector)];
    const ref = CONTROLLER_REVISIONS;
    return claimObjects({ client, owner: set, ownerRef: STATEFUL_SETS, selector, ref, candidates }, context);
  }

  /** Answers the first failure; what does not depend on it is done all the same. */
  async #carryOut(seen: SetSeen, plan: SetPlan, context: SyncContext): Promise<unknown> {
    const { set } = seen;
    const order = { owner: set, key: cacheKey(set) };
    if (plan.rollout !== undefined) this.#options.rollouts?.seen(order.key, plan.rollout);
    try {
      for (const pod of plan.tend) await this.#tend(set, pod, context);
      for (const pod of plan.condemned) await this.#settleClaims(set, { pod, condemned: true }, context);
    } catch (error) {
      return error;
    }
    const removed = await Promise.allSettled(plan.remove.map((pod) => this.#control.remove(order, pod, context)));
    const made = await runInSlowStartBatches(plan.create.length, async (index) => {
      const one = plan.create[index];
      if (one === undefined || !(await this.#provideClaims(set, one.ordinal, context))) return;
      await this.#control.create(order, podFor(set, one.ordinal, one.revision), context);
    });
    return removed.find((one) => one.status === 'rejected')?.reason ?? made.error;
  }

  async #tend(set: StatefulSet, pod: Pod, context: SyncContext): Promise<void> {
    const ordinal = ordinalOf(set, pod.metadata.name ?? '') ?? 0;
    if (pod.status?.phase === 'Pending') await this.#provideClaims(set, ordinal, context);
    await this.#settleClaims(set, { pod, condemned: false }, context);
    const after = withIdentity(pod);
    if (after === pod) return;
    await this.#options.client.resource(PODS, pod.metadata.namespace).update(after, undefined, context);
  }

  /** Makes the claims of an ordinal that are missing. False: one is about to go, and the pod has to wait for that. */
  async #provideClaims(set: StatefulSet, ordinal: number, context: SyncContext): Promise<boolean> {
    const { client, claims } = this.#options;
    const podName = podNameOf(set, ordinal);
    const missing: (typeof wanted)[number][] = [];
    const wanted = claimsFor(set, ordinal);
    for (const one of wanted) {
      const existing = claims.get(`${set.metadata.namespace ?? ''}/${one.claim.metadata.name ?? ''}`);
      if (existing === undefined) missing.push(one);
      else if (isStaleClaim(existing, podName)) return false;
    }
    for (const { claim } of missing) {
      try {
        await client.resource(PERSISTENT_VOLUME_CLAIMS, set.metadata.namespace).create(claim, undefined, context);
        this.#tellClaim(set, { claim: claim.metadata.name ?? '', pod: podName }, context);
      } catch (error) {
        if (status.isAlreadyExists(error)) continue;
        this.#tellClaim(set, { claim: claim.metadata.name ?? '', pod: podName, error }, context);
        throw error;
      }
    }
    return true;
  }

  /** Gives the pod's claims the owner that the retention policy calls for. */
  async #settleClaims(
    set: StatefulSet,
    { pod, condemned }: { readonly pod: Pod; readonly condemned: boolean },
    context: SyncContext,
  ): Promise<void> {
    const ordinal = ordinalOf(set, pod.metadata.name ?? '') ?? 0;
    const fate = claimFate(set, condemned);
    const { claims, events } = this.#options;
    const { namespace = '' } = set.metadata;
    const existing = claimsFor(set, ordinal).flatMap(
      ({ claim }) => claims.get(`${namespace}/${claim.metadata.name ?? ''}`) ?? [],
    );
    const client = this.#options.client.resource(PERSISTENT_VOLUME_CLAIMS, namespace);
    const changes = existing.map((claim) => ({ claim, after: withFate(claim, fate, { set, pod }) }));
    // As upstream: who is in the way is told of when the pod's claims are given away, not at each look.
    if (changes.every(({ claim, after }) => claim === after)) return;
    for (const { claim, after } of changes) {
      if (hasConflictingOwner(claim, set)) {
        const why = `PersistentVolumeClaim ${claim.metadata.name ?? ''} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        events.event(referenceTo(STATEFUL_SETS, set), 'Warning', 'ConflictingController', why, context);
      }
      if (after !== claim) await client.update(after, undefined, context);
    }
  }

  #tellClaim(
    set: StatefulSet,
    what: { readonly claim: string; readonly pod: string; readonly error?: unknown },
    context: SyncContext,
  ): void {
    const { events } = this.#options;
    const name = set.metadata.name ?? '';
    const about = referenceTo(STATEFUL_SETS, set);
    if (what.error === undefined) {
      const message = `create Claim ${what.claim} Pod ${what.pod} in StatefulSet ${name} success`;
      events.event(about, 'Normal', 'SuccessfulCreate', message, context);
      return;
    }
    const message = `create Claim ${what.claim} for Pod ${what.pod} in StatefulSet ${name} failed error: ${messageOf(what.error)}`;
    events.event(about, 'Warning', 'FailedCreate', message, context);
  }

  async #report(seen: SetSeen, collisionCount: number, context: SyncContext): Promise<void> {
    const client = this.#options.client.resource(STATEFUL_SETS, seen.set.metadata.namespace);
    const key = cacheKey(seen.set);
    const after = statusOf(seen, collisionCount);
    const ends = { up: { readyReplicas: after.replicas, availableReplicas: after.replicas }, down: [] };
    if (this.#reports.isPutOff(key, { before: seen.set.status, after, ends }, context)) return;
    await commitStatus({ client, context }, seen.set, (set) => {
      const conditions = set.status?.conditions;
      return { ...set, status: { ...after, ...(conditions === undefined ? {} : { conditions }) } };
    });
  }
}

function asRevision(revision: ControllerRevision, set: StatefulSet): SetRevision {
  // A revision that somebody made unreadable is as good as none: the set's own template holds then.
  return { name: revision.metadata.name ?? '', template: templateOf(revision) ?? set.spec.template };
}
