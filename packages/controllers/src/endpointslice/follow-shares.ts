import type { Clock, Scope, Timer } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import type { Informer } from '@binnacle/client';
import { triggerOf } from '@binnacle/reconcile';
import type { Trigger } from '@binnacle/reconcile';
import { ZoneCpu } from './zone-cpu.ts';

/** Many nodes that change together wake the services once. */
const GATHER_MS = 1000;

/** The zones' shares of the cluster's CPU. */
export interface FollowedShares {
  now(): ReadonlyMap<string, number> | undefined;
}

/** Keeps the shares as the nodes come and go, and wakes whoever depends on them a moment after they changed. */
export function followShares(
  { nodes, world, scope }: { nodes: Informer<Node>; world: { readonly clock: Clock }; scope: Scope },
  wake: (trigger: Trigger) => void,
): FollowedShares {
  const cpu = new ZoneCpu();
  let timer: Timer | undefined;
  const set = (event: string, node: Node): void => {
    const after = event === 'DELETED' ? undefined : node;
    if (!cpu.set(node.metadata.name ?? '', after) || timer !== undefined) return;
    timer = world.clock.after(GATHER_MS, () => {
      timer = undefined;
      wake(triggerOf(event, node));
    });
  };
  scope.defer(() => timer?.cancel());
  scope.defer(
    nodes.subscribe({
      add: (node) => set('ADDED', node),
      update: (_before, node) => set('MODIFIED', node),
      remove: (node) => set('DELETED', node),
    }),
  );
  return { now: () => cpu.shares() };
}
