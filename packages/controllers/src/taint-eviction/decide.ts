import { isPodTerminating, toleratesTaint, wellknown } from '@binnacle/api';
import type { Node, Pod, Taint } from '@binnacle/api/core/v1';

/** The moment, and since when a taint of the node is there (ms since the epoch). */
export interface EvictionClock {
  readonly nowMs: number;
  readonly sinceMs: (taint: Taint) => number | undefined;
}

/** When a pod has to leave its node, one that has ended too; ms since the epoch; undefined when it may stay. */
export function evictionTimeMs(pod: Pod, node: Node, clock: EvictionClock): number | undefined {
  if (isPodTerminating(pod)) return undefined;
  let leaveAt: number | undefined;
  for (const taint of node.spec.taints ?? []) {
    if (taint.effect !== 'NoExecute') continue;
    const at = toleratedUntilMs(pod, taint, clock);
    if (at !== undefined) leaveAt = Math.min(at, leaveAt ?? at);
  }
  return leaveAt;
}

const OF_LOST_NODES: ReadonlySet<string> = new Set([wellknown.TAINT_NOT_READY, wellknown.TAINT_UNREACHABLE]);

/** The same for what a node is tainted with that is not ready or falls silent alone: one of the two follows the other. */
export function lostTimeMs(pod: Pod, node: Node, clock: EvictionClock): number | undefined {
  const taints = (node.spec.taints ?? []).filter(({ key }) => OF_LOST_NODES.has(key));
  return evictionTimeMs(pod, { ...node, spec: { ...node.spec, taints } }, clock);
}

/** Of the tolerations that fit a taint the first one counts; undefined for ever. Zero and less mean at once. */
function toleratedUntilMs(pod: Pod, taint: Taint, { nowMs, sinceMs }: EvictionClock): number | undefined {
  const toleration = (pod.spec.tolerations ?? []).find((one) => toleratesTaint(one, taint));
  if (toleration === undefined) return nowMs;
  const { tolerationSeconds: seconds } = toleration;
  return seconds === undefined ? undefined : (sinceMs(taint) ?? nowMs) + Math.max(0, seconds) * 1000;
}
