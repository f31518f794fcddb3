/** The door to nftables: Services and policies on a Linux machine, by its `nft`. */
export { NftablesNetwork } from './nftables/nftables-network.ts';
export type { NftablesOptions } from './nftables/nftables-network.ts';
export { NftablesPolicies } from './nftables/nftables-policies.ts';
export type { NftablesPolicyOptions } from './nftables/nftables-policies.ts';
export { NftSession } from './nftables/nft-session.ts';
export type { NftSessionOptions } from './nftables/nft-session.ts';
/** What other clusters of this machine have of its ports. */
export { readNeighbourDoors } from './machine/neighbour-doors.ts';
export type { Neighbour, NeighbourDoors } from './machine/neighbour-doors.ts';
export { toolRunner } from './machine/run-tool.ts';
export type { RunTool } from './machine/run-tool.ts';
