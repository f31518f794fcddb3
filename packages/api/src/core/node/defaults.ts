import type { Draft } from '../../draft.ts';
import type { Node, NodeSpec } from '../../generated/core-v1.ts';

/** What a node has may be given away, until its kubelet says how much it keeps for itself. */
export function defaultNode(node: Draft<Node>): void {
  const status = node.status;
  if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  if (node.spec) alignPodCidrs(node.spec);
}

/** `podCIDR` is the first of `podCIDRs`; where they differ the older, single one is right. */
function alignPodCidrs(spec: Draft<NodeSpec>): void {
  const first = spec.podCIDRs?.[0];
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && first) spec.podCIDR = first;
}
