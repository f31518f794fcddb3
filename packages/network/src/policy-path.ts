import { inRanges, ipRange } from '@binnacle/base';
import type { AddressBlock, Allowance, Direction, PolicyState } from './policy-rules.ts';
import type { Protocol } from './rules.ts';

/** The first packet of a connection that a node forwards; `other` has no ports. */
export interface ForwardedPacket {
  readonly source: string;
  readonly destination: string;
  readonly protocol: Protocol | 'other';
  readonly port: number;
}

/** Whether policies let a forwarded packet through, told slowly and plainly: what every driver must come to. */
export function passesPolicies(state: PolicyState, packet: ForwardedPacket): boolean {
  if (packet.source === packet.destination) return true;
  return isLetThrough(state, packet, 'egress') && isLetThrough(state, packet, 'ingress');
}

function isLetThrough(state: PolicyState, packet: ForwardedPacket, direction: Direction): boolean {
  const own = direction === 'ingress' ? packet.destination : packet.source;
  const pods = [...state.pods].filter(([, pod]) => pod.addresses.includes(own) && pod[direction] !== undefined);
  // Two that have one address: the first by name has it.
  const [, pod] = pods.toSorted(([a], [b]) => (a < b ? -1 : 1))[0] ?? [];
  if (pod === undefined) return true;
  return (pod[direction] ?? []).some((id) =>
    state.policies.get(id)?.allowances.some((one) => isAllowed(state, one, { packet, direction })),
  );
}

function isAllowed(
  state: PolicyState,
  { peers, ports }: Allowance,
  { packet, direction }: { readonly packet: ForwardedPacket; readonly direction: Direction },
): boolean {
  const other = direction === 'ingress' ? packet.source : packet.destination;
  const isPeer =
    peers === undefined ||
    peers.groups.some((id) => state.groups.get(id)?.has(other) === true) ||
    peers.blocks.some((block) => isInBlock(block, other));
  if (!isPeer || ports === undefined) return isPeer;
  const { destination, protocol, port } = packet;
  return (
    ports.ranges.some((range) => range.protocol === protocol && range.from <= port && port <= range.to) ||
    ports.destinations.some((id) => state.destinations.get(id)?.has(`${destination} ${protocol} ${port}`) === true)
  );
}

function isInBlock({ range, except }: AddressBlock, address: string): boolean {
  // Whom an exception that means nothing would hold back is not known.
  if (except.some((one) => ipRange(one) === undefined)) return false;
  return inRanges([range])(address) && !inRanges(except)(address);
}
