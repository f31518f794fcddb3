import { formatTime } from '@binnacle/base';
import type { Scope, SpreadFigure } from '@binnacle/base';
import { controllerOf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder, Informer } from '@binnacle/client';
import { claimObjects } from '../claim-objects.ts';
import { commitStatus } from '../committer.ts';
import { Expectations } from '../expectations.ts';
import { followPods, podStateChanged } from '../follow-pods.ts';
import { Pace } from '../gather.ts';
import { OwnReports } from '../own-reports.ts';
import { runController, triggerOf } from '../run-controller.ts';
import type { Controller, SyncContext } from '../run-controller.ts';
import { PodSetActor } from './actor.ts';
import type { ActorOutcome } from './actor.ts';
import type { PodSetKind } from './kind.ts';
import { BY_CONTROLLER, orphansFor } from './pod-index.ts';
import { ageRatios, planScale } from './scale.ts';
import { countPods, decideStatus } from './status.ts';
import type { PodSetStatus } from './status.ts';

/** While the cache does not show all that was made or deleted, a look finds nothing to do: the last one to show wakes the set. */
const BEHIND_MS = 100;

/** One kind of pod set, and what its controller works with. */
export interface PodSetControllerOptions<T extends KubeObject> {
  readonly name: string;
  readonly kind: PodSetKind<T>;
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly events: EventRecorder;
  /** Needs OWNERSHIP_INDEXES. */
  readonly pods: Informer<Pod>;
  /** Needs OWNERSHIP_INDEXES. */
  readonly owners: Informer<T>;
  readonly workers?: number;
  /** How old pods are that go, by the age of the youngest of their set. Absent: nobody keeps score of that. */
  readonly ageRatios?: SpreadFigure;
}

/** Keeps the number of pods of each set, in the steps claim → scale → report. */
export function runPodSetController<T extends KubeObject>(options: PodSetControllerOptions<T>): Controller {
  const sets = new PodSets(options);
  const controller = runController({
    name: options.name,
    about: options.kind.ref,
    world: options.world,
    scope: options.scope,
    caches: [options.pods, options.owners],
    sync: (key, context) => sets.sync(key, context),
    ...(options.workers === undefined ? {} : { workers: options.workers }),
  });
  options.scope.defer(sets.followOwners(controller));
  options.scope.defer(sets.followPods(controller));
  return controller;
}

class PodSets<T extends KubeObject> {
  readonly #options: PodSetControllerOptions<T>;
  readonly #expectations: Expectations;
  readonly #actor: PodSetActor<T>;
  readonly #pace: Pace;
  readonly #reports: OwnReports;
  readonly #scaling = new Set<string>();

  constructor(options: PodSetControllerOptions<T>) {
    const { kind, client, events, world, pods } = options;
    this.#options = options;
    this.#expectations = new Expectations(world.clock);
    this.#pace = new Pace(world.clock);
    this.#reports = new OwnReports(world.clock, options.owners);
    this.#actor = new PodSetActor({ kind, client, events, expectations: this.#expectations, pods });
  }

  /** Wakes a set when it changes; not for the status that we told ourselves of it: what it tells of was looked at. */
  followOwners(controller: Controller): () => void {
    const wake = (event: string, owner: T): void => controller.enqueue(cacheKey(owner), triggerOf(event, owner));
    return this.#options.owners.subscribe({
      add: (owner) => wake('ADDED', owner),
      update: (before, owner) => {
        if (!this.#reports.isEcho(before, owner)) wake('MODIFIED', owner);
      },
      remove: (owner) => {
        wake('DELETED', owner);
        this.#forget(owner);
      },
    });
  }

  #forget(owner: T): void {
    this.#expectations.forget(cacheKey(owner));
    this.#reports.forget(cacheKey(owner));
    this.#actor.forget(owner.metadata.uid ?? '');
  }

  /** Wakes the sets that a pod's change concerns. */
  followPods(controller: Controller): () => void {
    const { pods, owners, kind } = this.#options;
    return followPods({
      ref: kind.ref,
      pods,
      owners,
      expectations: this.#expectations,
      selector: (owner) => kind.selector(owner),
      concerns: podStateChanged,
      wake: (owner, { trigger, urgent, further }) => {
        const key = cacheKey(owner);
        if (further && this.#reports.pace.takesStep(key)) return;
        // What only changes the report, or comes while the cache is behind our own deeds anyway, is gathered.
        const isBehind = !this.#expectations.isSatisfied(key);
        // Of a set that is scaled down, those that are still to go are looked at too.
        const count = Math.max(kind.replicas(owner), pods.countByIndex(BY_CONTROLLER, owner.metadata.uid ?? ''));
        const wait = this.#pace.waitMs(key, { count, urgent: urgent && !isBehind });
        // While it scales, one more look is due behind that, whichever it is that shows.
        const isIdle = isBehind && !this.#scaling.has(key);
        controller.enqueueAfter(key, isIdle ? Math.max(wait, BEHIND_MS) : wait, trigger);
      },
    });
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const owner = this.#options.owners.get(key);
    if (owner === undefined) {
      this.#expectations.forget(key);
      this.#reports.forget(key);
    } else await this.#sync(key, owner, context);
    this.#pace.synced(key, owner !== undefined);
  }

  async #sync(key: string, owner: T, context: SyncContext): Promise<void> {
    const { kind } = this.#options;
    this.#reports.pace.begins(key);
    const caughtUp = this.#expectations.isSatisfied(key);
    const pods = await this.#claim(owner, context);
    const outcome =
      caughtUp && owner.metadata.deletionTimestamp === undefined
        ? await this.#scale(key, { owner, pods }, context)
        : undefined;
    // Pods that were made show in a moment, and wake the set: what was counted before them is not worth a write.
    if (outcome?.made !== true) await this.#report({ owner, pods, outcome, isBehind: !caughtUp }, context);
    const wait = this.#expectations.remainingMs(key);
    // A lost event must not hold the set for ever; see Expectations.
    if (wait > 0) context.postpone(wait + 1);
    if (kind.minReadySeconds(owner) > 0) {
      const { nextAvailableMs } = this.#count(owner, pods);
      if (nextAvailableMs !== undefined) context.requeueAfter(nextAvailableMs);
    }
    if (outcome?.error !== undefined) throw outcome.error;
  }

  /** The set's pods, after adopting and releasing. */
  async #claim(owner: T, context: SyncContext): Promise<readonly Pod[]> {
    const { pods, kind, client } = this.#options;
    const { uid = '', namespace = '' } = owner.metadata;
    const selector = kind.selector(owner);
    const candidates = [...pods.byIndex(BY_CONTROLLER, uid), ...orphansFor(pods, namespace, selector)];
    return claimObjects({ client, owner, ownerRef: kind.ref, selector, ref: PODS, candidates }, context);
  }

  async #scale(key: string, seen: { owner: T; pods: readonly Pod[] }, context: SyncContext): Promise<ActorOutcome> {
    this.#scaling.add(key);
    try {
      return await this.#scaleOnce(key, seen, context);
    } finally {
      this.#scaling.delete(key);
    }
  }

  async #scaleOnce(key: string, seen: { owner: T; pods: readonly Pod[] }, context: SyncContext): Promise<ActorOutcome> {
    const { kind, world } = this.#options;
    const { owner, pods } = seen;
    const plan = planScale({
      pods,
      wanted: kind.replicas(owner),
      related: () => this.#relatedPods(owner, pods),
      nowMs: world.clock.now(),
    });
    if (plan.create > 0) return this.#actor.create(owner, { key, count: plan.create, existing: pods }, context);
    for (const ratio of ageRatios(pods, plan.remove, world.clock.now())) this.#options.ageRatios?.observe([], ratio);
    return this.#actor.remove(owner, { key, pods: plan.remove }, context);
  }

  async #report(
    seen: { owner: T; pods: readonly Pod[]; outcome: ActorOutcome | undefined; isBehind: boolean },
    context: SyncContext,
  ): Promise<void> {
    const { kind, client, world } = this.#options;
    const key = cacheKey(seen.owner);
    const statusOf = this.#statusAfter(seen);
    const after = statusOf(seen.owner);
    const up = { readyReplicas: after.replicas, availableReplicas: after.replicas };
    const before = kind.status(seen.owner);
    if (after === before) return this.#reports.pace.forget(key);
    const step = { before, after, ends: { up, down: ['terminatingReplicas'] }, isBehind: seen.isBehind };
    if (this.#reports.pace.isPutOff(key, step, context)) return;
    const since = world.clock.monotonic();
    const { namespace } = seen.owner.metadata;
    const told = await commitStatus(
      { client: client.resource(kind.ref, namespace), context },
      seen.owner as T & { readonly status?: unknown },
      (owner) => {
        const after = statusOf(owner);
        return after === kind.status(owner)
          ? owner
          : (kind.withStatus(owner, after) as T & { readonly status?: unknown });
      },
    );
    if (told !== undefined) this.#reports.told(told, world.clock.monotonic() - since);
  }

  /** What the status of a set comes to by what was seen of its pods, whichever version of it is read meanwhile. */
  #statusAfter(seen: {
    owner: T;
    pods: readonly Pod[];
    outcome: ActorOutcome | undefined;
  }): (owner: T) => PodSetStatus {
    const { kind, world } = this.#options;
    const counts = this.#count(seen.owner, seen.pods);
    const now = formatTime(world.clock.now());
    return (owner) => {
      const before = kind.status(owner);
      return decideStatus({
        before,
        counts,
        // What was counted belongs to the generation that was seen, not to a newer one met on the way.
        generation: seen.owner.metadata.generation ?? 0,
        failure: seen.outcome === undefined ? currentFailure(before) : seen.outcome.failure,
        now,
        tellsTerminating: kind.tellsTerminating,
      });
    };
  }

  #count(owner: T, pods: readonly Pod[]): ReturnType<typeof countPods> {
    const { kind, world } = this.#options;
    const [template, minReadySeconds] = [kind.template(owner), kind.minReadySeconds(owner)];
    return countPods(pods, { template, minReadySeconds, nowMs: world.clock.now() });
  }

  /** Pods of all sets under the same controller: during a rollout the old and the new set share nodes. */
  #relatedPods(owner: T, own: readonly Pod[]): readonly Pod[] {
    const above = controllerOf(owner);
    if (above === undefined) return own;
    const { owners, pods } = this.#options;
    const sisters = owners.byIndex(BY_CONTROLLER, above.uid);
    return sisters.flatMap((sister) => pods.byIndex(BY_CONTROLLER, sister.metadata.uid ?? ''));
  }
}

function currentFailure(before: ReturnType<PodSetKind<KubeObject>['status']>): ActorOutcome['failure'] {
  const condition = before?.conditions?.find((one) => one.type === 'ReplicaFailure');
  if (condition === undefined) return undefined;
  const reason = condition.reason === 'FailedDelete' ? 'FailedDelete' : 'FailedCreate';
  return { reason, message: condition.message ?? '' };
}
