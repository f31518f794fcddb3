import { wellknown } from '@binnacle/api';
import type { Node, Taint } from '@binnacle/api/core/v1';
import { hasReported, readinessOf } from './health.ts';
import type { Readiness } from './health.ts';

const UNREADY: { readonly [readiness in Readiness]: string | undefined } = {
  True: undefined,
  False: wellknown.TAINT_NOT_READY,
  Unknown: wellknown.TAINT_UNREACHABLE,
};

const PRESSURES: { readonly [condition: string]: string } = {
  MemoryPressure: wellknown.TAINT_MEMORY_PRESSURE,
  DiskPressure: wellknown.TAINT_DISK_PRESSURE,
  PIDPressure: wellknown.TAINT_PID_PRESSURE,
  NetworkUnavailable: wellknown.TAINT_NETWORK_UNAVAILABLE,
};

/** The keys whose NoSchedule and NoExecute taints are this controller's; all other taints are left alone. */
const NO_SCHEDULE: ReadonlySet<string> = new Set([
  wellknown.TAINT_NOT_READY,
  wellknown.TAINT_UNREACHABLE,
  wellknown.TAINT_UNSCHEDULABLE,
  ...Object.values(PRESSURES),
]);
const NO_EXECUTE: ReadonlySet<string> = new Set([wellknown.TAINT_NOT_READY, wellknown.TAINT_UNREACHABLE]);

/**
 * The taints that a node's conditions call for; the very list from before when they are right. Evicting is a separate
 * permission: where it is not given, a node gets no taint that evicts (`hold`), or loses it (`none`). One that has such a
 * taint is given up already: it is exchanged without being asked for.
 */
export function decideTaints(node: Node, eviction: 'allow' | 'hold' | 'none', now: string): readonly Taint[] {
  const before = node.spec.taints ?? [];
  const schedule = wantedNoSchedule(node);
  const execute = wantedNoExecute(node, eviction, before);
  const kept = before.filter((taint) => {
    if (taint.effect === 'NoSchedule' && NO_SCHEDULE.has(taint.key)) return schedule.has(taint.key);
    if (taint.effect === 'NoExecute' && NO_EXECUTE.has(taint.key)) return execute.has(taint.key);
    return true;
  });
  const added: Taint[] = [
    ...missing(schedule, kept, 'NoSchedule').map((key) => ({ key, effect: 'NoSchedule' as const, timeAdded: now })),
    ...missing(execute, kept, 'NoExecute').map((key) => ({ key, effect: 'NoExecute' as const, timeAdded: now })),
  ];
  return kept.length === before.length && added.length === 0 ? before : [...kept, ...added];
}

/** Whether the node should have an evicting taint and has none. */
export function needsEviction(node: Node): boolean {
  return unreadyKey(node) !== undefined && !isGivenUp(node.spec.taints ?? []);
}

/** Whether a node with these taints loses its pods. */
export function isGivenUp(taints: readonly Taint[]): boolean {
  return taints.some(({ key, effect }) => effect === 'NoExecute' && NO_EXECUTE.has(key));
}

/** Of a node of which nobody has said anything yet, nothing is known, and nothing held against it, until its time is up. */
function unreadyKey(node: Node): string | undefined {
  return hasReported(node) ? UNREADY[readinessOf(node)] : undefined;
}

function wantedNoSchedule(node: Node): ReadonlySet<string> {
  const keys = new Set<string>();
  const unready = unreadyKey(node);
  if (unready !== undefined) keys.add(unready);
  if (node.spec.unschedulable === true) keys.add(wellknown.TAINT_UNSCHEDULABLE);
  for (const condition of node.status?.conditions ?? []) {
    const key = PRESSURES[condition.type];
    if (key !== undefined && condition.status === 'True') keys.add(key);
  }
  return keys;
}

function wantedNoExecute(node: Node, eviction: string, before: readonly Taint[]): ReadonlySet<string> {
  const key = unreadyKey(node);
  if (key === undefined || eviction === 'none') return new Set();
  return new Set(eviction === 'allow' || isGivenUp(before) ? [key] : []);
}

function missing(wanted: ReadonlySet<string>, taints: readonly Taint[], effect: string): readonly string[] {
  return [...wanted].filter((key) => !hasTaint(taints, key, effect));
}

function hasTaint(taints: readonly Taint[], key: string, effect: string): boolean {
  return taints.some((taint) => taint.key === key && taint.effect === effect);
}
