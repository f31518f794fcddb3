import type { Clock } from '@binnacle/base';
import { EVERYTHING, matchesLabels, selectorFromObject, status } from '@binnacle/machinery';
import { DEPLOYMENTS, isDeploymentComplete, isPodTerminal, REPLICA_SETS } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client, Informer } from '@binnacle/client';
import { BY_CONTROLLER, claimObjects, isNamespaceTerminating, orphansFor } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import type { DeploymentCommitter } from './committer.ts';
import { updateNewSet } from './new-set.ts';
import type { DeploymentWrites } from './own-writes.ts';
import { tellCreated, tellCreateError, tellFound, tellPause } from './progress.ts';
import { sortOut } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';
import { planRollback, rollbackAsked } from './rollback.ts';
import { countStatus, deadlineCheckMs, rolloutStatus } from './status.ts';
import { planDeployment, resized } from './steps.ts';

export interface DeploymentSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly committer: DeploymentCommitter;
  readonly writes: DeploymentWrites;
  readonly deployments: Informer<Deployment>;
  readonly sets: Informer<ReplicaSet>;
  readonly pods: Informer<Pod>;
}

/** One deployment, one round: claim → keep the new set current → plan → act → report. */
export class DeploymentSync {
  readonly #options: DeploymentSyncOptions;

  constructor(options: DeploymentSyncOptions) {
    this.#options = options;
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const deployment = this.#options.deployments.get(key);
    if (deployment === undefined) return;
    const behind = await this.#options.writes.behindMs(key, context);
    if (behind > 0) return context.postpone(behind + 1);
    if (isEmptySelector(deployment)) return this.#refuseSelectingAll(deployment, context);
    const seen = sortOut(deployment, await this.#claim(deployment, context));
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#report(seen, true, context);
    const paused = tellPause(deployment, this.#options.clock.now());
    if (paused !== undefined) {
      await this.#options.committer.report(deployment, paused, context);
      return;
    }
    await this.#roll(seen, context);
  }

  async #roll(before: Seen, context: SyncContext): Promise<void> {
    const { committer, clock } = this.#options;
    const seen = await this.#keepNewSetCurrent(before, context);
    const { deployment } = seen;
    const asked = rollbackAsked(deployment);
    // A template that has no set yet is nobody's revision: it gets one first.
    if (asked !== undefined && seen.newSet !== undefined && deployment.spec.paused !== true) {
      return committer.rollBack(planRollback(seen, asked), context);
    }
    const complete = isDeploymentComplete({ ...deployment, status: countStatus(seen, clock.now()) });
    const plan = planDeployment({ ...seen, complete, oldPodsRunning: () => this.#oldPodsRunning(seen) });
    if (plan.createNewSet) return this.#createNewSet(seen, context);
    const written = await committer.resize(deployment, plan.resize, context);
    await committer.forget(plan.forget, context);
    await this.#report(resized(seen, written), plan.countOnly, context);
  }

  async #report(seen: Seen, countOnly: boolean, context: SyncContext): Promise<void> {
    const { committer, clock } = this.#options;
    const now = clock.now();
    const after = countOnly ? countStatus(seen, now) : rolloutStatus(seen, now);
    await committer.report(seen.deployment, after, context);
    const again = deadlineCheckMs(seen.deployment, after, now);
    if (again !== undefined && !countOnly) context.requeueAfter(again);
  }

  /** Revision, annotations and minReadySeconds of the new set; revision of the deployment. */
  async #keepNewSetCurrent(seen: Seen, context: SyncContext): Promise<Seen> {
    const { committer, clock } = this.#options;
    if (seen.newSet === undefined) return seen;
    const newSet = await committer.updateSet(seen.newSet, updateNewSet(seen, seen.newSet), context);
    const status = tellFound(seen.deployment, newSet.metadata.name ?? '', clock.now()) ?? seen.deployment.status;
    const deployment = await committer.reportWith(seen.deployment, { set: newSet, status }, context);
    return { deployment, newSet, oldSets: seen.oldSets };
  }

  async #createNewSet(seen: Seen, context: SyncContext): Promise<void> {
    const { committer, clock } = this.#options;
    const { deployment } = seen;
    let made: ReplicaSet | undefined;
    try {
      made = await committer.createNewSet(seen, context);
    } catch (error) {
      if (isNamespaceTerminating(error) || context.signal.aborted) return;
      await this.#reportCreateError(deployment, error, context);
      throw error;
    }
    if (made === undefined) {
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      await committer.report(deployment, { ...deployment.status, collisionCount }, context);
      throw status.alreadyExists(REPLICA_SETS, deployment.metadata.name ?? '');
    }
    const after = rolloutStatus({ deployment, newSet: made, oldSets: seen.oldSets }, clock.now());
    const told = tellCreated({ ...deployment, status: after }, made.metadata.name ?? '', clock.now());
    await committer.reportWith(deployment, { set: made, status: told ?? after }, context);
  }

  async #reportCreateError(deployment: Deployment, error: unknown, context: SyncContext): Promise<void> {
    const { committer, clock } = this.#options;
    const message = committer.tellFailure(deployment, error, context);
    const told = tellCreateError(deployment, message, clock.now());
    if (told !== undefined) await committer.report(deployment, told, context);
  }

  async #refuseSelectingAll(deployment: Deployment, context: SyncContext): Promise<void> {
    this.#options.committer.tellSelectsAll(deployment, context);
    const { generation = 0 } = deployment.metadata;
    if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
    await this.#options.committer.report(deployment, { ...deployment.status, observedGeneration: generation }, context);
  }

  async #claim(deployment: Deployment, context: SyncContext): Promise<readonly ReplicaSet[]> {
    const { sets, client } = this.#options;
    const { uid = '', namespace = '' } = deployment.metadata;
    const selector = selectorFromObject(deployment.spec.selector);
    const candidates = [...sets.byIndex(BY_CONTROLLER, uid), ...orphansFor(sets, namespace, selector)];
    const claim = { client, owner: deployment, ownerRef: DEPLOYMENTS, selector, ref: REPLICA_SETS, candidates };
    return claimObjects(claim, context);
  }

  #oldPodsRunning(seen: Seen): boolean {
    if (seen.oldSets.some((set) => (set.status?.replicas ?? 0) > 0)) return true;
    return seen.oldSets.some((set) =>
      this.#options.pods.byIndex(BY_CONTROLLER, set.metadata.uid ?? '').some((pod) => !isPodTerminal(pod)),
    );
  }
}

/** An empty selector matches every label set there is. */
function isEmptySelector(deployment: Deployment): boolean {
  const selector = selectorFromObject(deployment.spec.selector);
  return selector.requirements.length === EVERYTHING.requirements.length && matchesLabels(selector, {});
}
