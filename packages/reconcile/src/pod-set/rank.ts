import { getPodCondition, isPodReady, isSidecar } from '@binnacle/api';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: { readonly [phase: string]: number } = { Pending: 0, Unknown: 1, Running: 2 };

type Compare = (a: Ranked, b: Ranked) => number;

interface Ranked {
  readonly pod: Pod;
  /** How many related active pods run on the same node. */
  readonly crowd: number;
  readonly nowMs: number;
}

/**
 * Which pods go first when there are too many, in this order: not on a node; pending before unknown before running;
 * not ready; cheaper by annotation; on a crowded node; ready for a shorter time; restarted more often; younger.
 * Times count by orders of magnitude (the UID decides within one), so that not always the newest is hit.
 * @param related all active pods that do the same work, of sister sets too
 */
export function rankForDeletion(pods: readonly Pod[], related: readonly Pod[], nowMs: number): Pod[] {
  const crowds = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec.nodeName ?? '';
    if (node !== '') crowds.set(node, (crowds.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => ({ pod, crowd: crowds.get(pod.spec.nodeName ?? '') ?? 0, nowMs }));
  ranked.sort((a, b) => {
    for (const compare of CRITERIA) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
  return ranked.map(({ pod }) => pod);
}

const CRITERIA: readonly Compare[] = [
  (a, b) => Number(isAssigned(a.pod)) - Number(isAssigned(b.pod)),
  (a, b) => phaseOf(a.pod) - phaseOf(b.pod),
  (a, b) => Number(isPodReady(a.pod)) - Number(isPodReady(b.pod)),
  (a, b) => costOf(a.pod) - costOf(b.pod),
  (a, b) => b.crowd - a.crowd,
  (a, b) => (isPodReady(a.pod) && isPodReady(b.pod) ? byAge(a, b, readySince) : 0),
  (a, b) => restartsOf(b.pod, false) - restartsOf(a.pod, false),
  (a, b) => restartsOf(b.pod, true) - restartsOf(a.pod, true),
  (a, b) => byAge(a, b, (pod) => pod.metadata.creationTimestamp),
];

function isAssigned(pod: Pod): boolean {
  return (pod.spec.nodeName ?? '') !== '';
}

function phaseOf(pod: Pod): number {
  return PHASES[pod.status?.phase ?? 'Pending'] ?? 0;
}

function costOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[DELETION_COST];
  return text !== undefined && /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

function readySince(pod: Pod): string | undefined {
  return getPodCondition(pod, 'Ready')?.lastTransitionTime;
}

function restartsOf(pod: Pod, sidecars: boolean): number {
  const most = (statuses: readonly ContainerStatus[]): number =>
    statuses.reduce((max, one) => Math.max(max, one.restartCount), 0);
  if (!sidecars) return most(pod.status?.containerStatuses ?? []);
  const names = new Set((pod.spec.initContainers ?? []).filter(isSidecar).map((container) => container.name));
  return most((pod.status?.initContainerStatuses ?? []).filter((one) => names.has(one.name)));
}

/** The younger one first; an unknown time counts as youngest. */
function byAge(a: Ranked, b: Ranked, timeOf: (pod: Pod) => string | undefined): number {
  const [timeA, timeB] = [timeOf(a.pod), timeOf(b.pod)];
  if (timeA === timeB) return 0;
  if (timeA === undefined) return -1;
  if (timeB === undefined) return 1;
  const order = magnitude(a.nowMs - Date.parse(timeA)) - magnitude(b.nowMs - Date.parse(timeB));
  return order !== 0 ? order : (a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1;
}

function magnitude(durationMs: number): number {
  return durationMs <= 0 ? -1 : Math.floor(Math.log2(durationMs * 1e6));
}
