import { canonicalAddress } from '@binnacle/base';
import { getCondition } from '../../condition.ts';
import type { Node, NodeCondition, NodeAddress } from '../../generated/core-v1.ts';

/** Its Ready condition is True. */
export function isNodeReady(node: Node): boolean {
  return getNodeCondition(node, 'Ready')?.status === 'True';
}

/** The condition of that type, if the node has it. */
export function getNodeCondition(node: Node, type: string): NodeCondition | undefined {
  return getCondition(node.status?.conditions, type);
}

/** Nobody new may be placed on it (cordoned). */
export function isNodeUnschedulable(node: Node): boolean {
  return node.spec?.unschedulable === true;
}

/** The first address of a type (`InternalIP`, `ExternalIP`, `Hostname`, …). */
export function nodeAddress(node: Node, type: string): string | undefined {
  return node.status?.addresses?.find((address: NodeAddress) => address.type === type)?.address;
}

/**
 * Its InternalIPs in their one spelling. What is no address is left out: nodes say of themselves what they like, and what is
 * made of it is told to the tools of all others.
 */
export function internalAddresses({ status }: Pick<Node, 'status'>): string[] {
  return (status?.addresses ?? []).flatMap(({ type, address }) =>
    type === 'InternalIP' ? (canonicalAddress(address) ?? []) : [],
  );
}
