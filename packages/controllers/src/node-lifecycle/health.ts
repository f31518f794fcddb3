import type { Clock } from '@binnacle/base';
import type { Node, NodeCondition } from '@binnacle/api/core/v1';

/** How long nodes may be silent before they are called Unknown, ms. */
export interface Patience {
  readonly monitorGraceMs: number;
  /** The same for a node that has never said anything, from its creation. */
  readonly startupGraceMs: number;
}

/** Upstream's (v1.36). */
export const PATIENCE: Patience = { monitorGraceMs: 50_000, startupGraceMs: 60_000 };

/** Conditions that only a kubelet which is heard from can vouch for. */
const VOUCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node that fell silent; the very list from before when they say so already. */
export function conditionsWhenSilent(node: Node, now: string): readonly NodeCondition[] {
  const before = node.status?.conditions ?? [];
  let after = before;
  for (const type of VOUCHED) {
    const current = after.find((condition) => condition.type === type);
    if (current === undefined) after = [...after, neverHeard(node, type, now)];
    else if (current.status !== 'Unknown') {
      after = after.map((condition) => (condition === current ? stopped(current, now) : condition));
    }
  }
  return after;
}

export type Readiness = 'True' | 'False' | 'Unknown';

/** What the Ready condition says; a node without one is Unknown. */
export function readinessOf(node: Node): Readiness {
  const status = node.status?.conditions?.find((condition) => condition.type === 'Ready')?.status;
  return status === 'True' || status === 'False' ? status : 'Unknown';
}

/** When a node's own report was made; changes with each heartbeat. */
export function heartbeatOf(node: Node): string | undefined {
  return node.status?.conditions?.find((condition) => condition.type === 'Ready')?.lastHeartbeatTime;
}

/**
 * For how long the node may still be silent, ms, given when we last heard of it by the clock that never goes back: whoever
 * wakes from sleep, or has its time set, has not heard less of its nodes. What never said anything is as old as its object says.
 */
export function silentInMs(
  node: Node,
  heard: { readonly at: number | undefined; readonly clock: Pick<Clock, 'now' | 'monotonic'> },
  patience = PATIENCE,
): number {
  const { at, clock } = heard;
  if (hasReported(node) && at !== undefined) return at + patience.monitorGraceMs - clock.monotonic();
  const ageMs = clock.now() - Date.parse(node.metadata.creationTimestamp ?? '');
  return patience.startupGraceMs - Math.max(0, Number.isNaN(ageMs) ? Infinity : ageMs);
}

/** Whether anybody has said yet how the node is. */
export function hasReported(node: Node): boolean {
  return node.status?.conditions?.some((condition) => condition.type === 'Ready') === true;
}

function neverHeard(node: Node, type: string, now: string): NodeCondition {
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    ...(node.metadata.creationTimestamp === undefined ? {} : { lastHeartbeatTime: node.metadata.creationTimestamp }),
    lastTransitionTime: now,
  };
}

function stopped(condition: NodeCondition, now: string): NodeCondition {
  return {
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: now,
  };
}
