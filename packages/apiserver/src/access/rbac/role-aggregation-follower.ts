import { CLUSTER_ROLES } from '@binnacle/api';
import type { ClusterRole } from '@binnacle/api/rbac/v1';
import { messageOf } from '@binnacle/base';
import type { Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ServerWorld } from '../../ports/world.ts';
import { aggregateRules, sameRules } from './role-aggregation.ts';

type AggregationWorld = Pick<ServerWorld, 'cache' | 'update' | 'clock' | 'log'>;

/** A round that left a role behind is made again after this long, then after twice as long each time. */
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 60_000;

/** Keeps the rules of aggregating ClusterRoles up to date. Returns how to stop. */
export function followAggregation(world: AggregationWorld): () => void {
  const aggregation = new Aggregation(world);
  const unfollow = world.cache.follow(CLUSTER_ROLES, () => aggregation.due());
  return () => {
    aggregation.stop();
    unfollow();
  };
}

/** Rounds over all aggregating roles: one after any number of changes, never two at a time. */
class Aggregation {
  readonly #world: AggregationWorld;
  #retryMs = RETRY_MS_MIN;
  #isDue = false;
  #isRunning = false;
  #isStopped = false;
  #retry: Timer | undefined;

  constructor(world: AggregationWorld) {
    this.#world = world;
  }

  due(): void {
    if (this.#isDue || this.#isStopped) return;
    this.#isDue = true;
    if (!this.#isRunning) this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
  }

  #begin(): void {
    // Never rejects: what fails is told, and tried again.
    this.#world.clock.soon(() => void this.#round());
  }

  async #round(): Promise<void> {
    if (this.#isStopped || this.#isRunning) return;
    this.#isDue = false;
    this.#isRunning = true;
    this.#retry?.cancel();
    const { cache } = this.#world;
    const roles = cache.list(CLUSTER_ROLES) as readonly ClusterRole[];
    let failed = false;
    for (const role of roles) {
      if (role.aggregationRule === undefined || this.#isStopped) continue;
      if (!(await this.#aggregate(role, roles))) failed = true;
    }
    this.#isRunning = false;
    if (failed) this.#tryAgain();
    else this.#retryMs = RETRY_MS_MIN;
    if (this.#isDue) this.#begin();
  }

  /** Whether the role is as it should be: one that cannot be, such as one stored before a rule of validation was, holds up no other. */
  async #aggregate(role: ClusterRole, roles: readonly ClusterRole[]): Promise<boolean> {
    const { name = '' } = role.metadata;
    try {
      const rules = aggregateRules(role, roles);
      if (sameRules(rules, role.rules ?? [])) return true;
      const target = { resource: CLUSTER_ROLES, namespace: '', name };
      await this.#world.update(target, (draft) => Object.assign(draft, { rules }));
      return true;
    } catch (error) {
      // A role that was deleted meanwhile needs no rules.
      if (status.isNotFound(error)) return true;
      this.#world.log.error(error, 'a ClusterRole was not aggregated', { role: name, reason: messageOf(error) });
      return false;
    }
  }

  #tryAgain(): void {
    if (this.#isStopped) return;
    this.#retry = this.#world.clock.after(this.#retryMs, () => this.due(), { background: true });
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }
}
