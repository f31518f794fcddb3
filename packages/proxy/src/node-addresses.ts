import type { Node } from '@binnacle/api/core/v1';
import { canonicalAddress, ofFamily } from '@binnacle/base';

/** What a Node object says of its addresses, those of the pods' network first. */
const TYPES = ['InternalIP', 'ExternalIP'] as const;

/** A node's first address of each family that it has, never one of loopback. What is no address is passed over. */
export function primaryAddresses({ status }: Pick<Node, 'status'>): string[] {
  const all = TYPES.flatMap((wanted) =>
    (status?.addresses ?? []).flatMap(({ type, address }) =>
      type === wanted ? (canonicalAddress(address) ?? []) : [],
    ),
  );
  return [ofFamily(all, 'IPv4')[0], ofFamily(all, 'IPv6')[0]].flatMap((address) =>
    address === undefined || address.startsWith('127.') || address === '::1' ? [] : [address],
  );
}
