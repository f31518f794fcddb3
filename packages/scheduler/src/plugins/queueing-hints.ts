import { placedPodRequests } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { ClusterEvent, EventReach, QueueingHint } from '../plan/framework.ts';

/** The reach of an event that helps no pod. */
export const NOBODY: EventReach = [];

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The node of an event. */
export function nodesOf(event: ClusterEvent): { readonly before: Node | undefined; readonly after: Node | undefined } {
  return { before: event.before as Node | undefined, after: event.after as Node | undefined };
}

/** The pod of an event. */
export function podsOf(event: ClusterEvent): { readonly before: Pod | undefined; readonly after: Pod | undefined } {
  return { before: event.before as Pod | undefined, after: event.after as Pod | undefined };
}

/** A node came, or changed its labels. */
export const NODE_LABELS: QueueingHint = {
  resource: 'nodes',
  actions: ['add', 'update'],
  reaches(event) {
    const { before, after } = nodesOf(event);
    return before !== undefined && same(before.metadata.labels, after?.metadata.labels) ? NOBODY : 'all';
  },
};

/** A node came, or changed its taints or whether it takes pods. */
export const NODE_TAINTS: QueueingHint = {
  resource: 'nodes',
  actions: ['add', 'update'],
  reaches(event) {
    const { before, after } = nodesOf(event);
    if (before === undefined || before.spec.unschedulable !== after?.spec.unschedulable) return 'all';
    return same(before.spec.taints, after?.spec.taints) ? NOBODY : 'all';
  },
};

/** A node came, or has other amounts to give. */
export const NODE_ALLOCATABLE: QueueingHint = {
  resource: 'nodes',
  actions: ['add', 'update'],
  reaches(event) {
    const { before, after } = nodesOf(event);
    return before !== undefined && same(before.status?.allocatable, after?.status?.allocatable) ? NOBODY : 'all';
  },
};

/** A node came. */
export const NODE_ADDED: QueueingHint = { resource: 'nodes', actions: ['add'] };

/** A node went, and with it what was counted on it. */
export const NODE_GONE: QueueingHint = { resource: 'nodes', actions: ['delete'] };

/** The pod itself was changed. */
export const OWN_UPDATE: QueueingHint = { resource: 'pendingpods', actions: ['update'] };

/** A placed pod went, or asks for less than before. */
export const ROOM_FREED: QueueingHint = {
  resource: 'pods',
  actions: ['delete', 'update'],
  reaches(event) {
    const { before, after } = podsOf(event);
    if (before === undefined || event.action === 'delete') return 'all';
    if (after === undefined) return NOBODY;
    // What a pod holds while it is resized stands in its status.
    if (before.spec === after.spec && before.status === after.status) return NOBODY;
    const now = placedPodRequests(after);
    for (const [resource, amount] of placedPodRequests(before)) if ((now.get(resource) ?? 0) < amount) return 'all';
    return NOBODY;
  },
};
