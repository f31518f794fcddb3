/** The door to nftables: Services and policies on a Linux machine, by its `nft`. */
export { NftablesNetwork } from './nftables/nftables-network.ts';
export type { NftablesOptions } from './nftables/nftables-network.ts';
export { NftablesPolicies } from './nftables/nftables-policies.ts';
export type { NftablesPolicyOptions } from './nftables/nftables-policies.ts';
export { toolRunner } from './nftables/run-tool.ts';
export type { RunTool } from './nftables/run-tool.ts';
