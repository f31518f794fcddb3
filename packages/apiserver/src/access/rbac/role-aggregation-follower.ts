import { CLUSTER_ROLES } from '@binnacle/api';
import type { ClusterRole } from '@binnacle/api/rbac/v1';
import { messageOf } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ServerWorld } from '../../ports/world.ts';
import { aggregateRules, sameRules } from './role-aggregation.ts';

/** Keeps the rules of aggregating ClusterRoles up to date. Returns how to stop. */
export function followAggregation({
  cache,
  update,
  clock,
  log,
}: Pick<ServerWorld, 'cache' | 'update' | 'clock' | 'log'>): () => void {
  let due = false;
  let stopped = false;
  const pass = async (): Promise<void> => {
    due = false;
    const roles = cache.list(CLUSTER_ROLES) as readonly ClusterRole[];
    for (const role of roles) {
      if (role.aggregationRule === undefined || stopped) continue;
      const rules = aggregateRules(role, roles);
      if (sameRules(rules, role.rules ?? [])) continue;
      const target = { resource: CLUSTER_ROLES, namespace: '', name: role.metadata.name ?? '' };
      await update(target, (draft) => Object.assign(draft, { rules }));
    }
  };
  const run = (): void => {
    pass().catch((error: unknown) => {
      // A role that was deleted meanwhile needs no rules.
      if (!status.isNotFound(error)) log.error(error, 'ClusterRoles were not aggregated', { reason: messageOf(error) });
    });
  };
  const unfollow = cache.follow(CLUSTER_ROLES, () => {
    if (due || stopped) return;
    due = true;
    clock.soon(run);
  });
  return () => {
    stopped = true;
    unfollow();
  };
}
