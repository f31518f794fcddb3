import { findUntoleratedTaint, matchesNodeSelection, wellknown } from '@binnacle/api';
import type { DaemonSet } from '@binnacle/api/apps/v1';
import type { Affinity, Node, Pod, PodSpec, Toleration } from '@binnacle/api/core/v1';

/** Whether a node should have the set's pod, and whether one that it has may stay. */
export interface NodeVerdict {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

const NEITHER: NodeVerdict = { shouldRun: false, mayStay: false };
const NO_EXECUTE: ReadonlySet<string> = new Set(['NoExecute']);

/** By name, labels and taints; how full the node is, is the scheduler's business. */
export function judgeNode(set: DaemonSet, node: Node): NodeVerdict {
  const { spec } = set.spec.template;
  const name = node.metadata.name ?? '';
  if (spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== name) return NEITHER;
  const pod: Pod = { metadata: {}, spec };
  if (!matchesNodeSelection(pod, { name, labels: node.metadata.labels })) return NEITHER;
  const tolerations = tolerationsOf(spec);
  const { taints } = node.spec;
  if (findUntoleratedTaint(taints, tolerations) === undefined) return { shouldRun: true, mayStay: true };
  // A taint that only keeps new pods away does not drive out what is there.
  return { shouldRun: false, mayStay: findUntoleratedTaint(taints, tolerations, NO_EXECUTE) === undefined };
}

/** The template's tolerations and those that all daemons have: they run where nobody else may. */
export function tolerationsOf(spec: PodSpec): readonly Toleration[] {
  const own = spec.tolerations ?? [];
  const added = [
    tolerate(wellknown.TAINT_NOT_READY, 'NoExecute'),
    tolerate(wellknown.TAINT_UNREACHABLE, 'NoExecute'),
    tolerate(wellknown.TAINT_DISK_PRESSURE, 'NoSchedule'),
    tolerate(wellknown.TAINT_MEMORY_PRESSURE, 'NoSchedule'),
    tolerate(wellknown.TAINT_PID_PRESSURE, 'NoSchedule'),
    tolerate(wellknown.TAINT_UNSCHEDULABLE, 'NoSchedule'),
    ...(spec.hostNetwork === true ? [tolerate(wellknown.TAINT_NETWORK_UNAVAILABLE, 'NoSchedule')] : []),
  ];
  const isThere = (one: Toleration): boolean =>
    own.some(({ key, operator, effect }) => key === one.key && operator === one.operator && effect === one.effect);
  return [...own, ...added.filter((one) => !isThere(one))];
}

/** The affinity that sends a pod to one node; the node's other requirements were judged already. */
export function affinityTo(node: string, affinity: Affinity | undefined): Affinity {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
}

/** The node that a daemon's pod is on, or is meant for. */
export function nodeOfPod({ spec }: Pod): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const term of required?.nodeSelectorTerms ?? []) {
    const field = term.matchFields?.find((one) => one.key === 'metadata.name' && one.operator === 'In');
    if (field?.values?.length === 1) return field.values[0];
  }
  return undefined;
}

function tolerate(key: string, effect: 'NoSchedule' | 'NoExecute'): Toleration {
  return { key, operator: 'Exists', effect };
}
