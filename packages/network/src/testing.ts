/** What a driver must come to: the way of a packet through rules, told plainly. */
export { followPacket } from './packet-path.ts';
export type { Outcome, Packet, PacketPath } from './packet-path.ts';
export { passesPolicies } from './policy-path.ts';
export type { ForwardedPacket } from './policy-path.ts';
