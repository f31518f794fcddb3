/** The door to nftables: Services on a Linux machine, by its `nft`. */
export { NftablesNetwork } from './nftables/nftables-network.ts';
export type { NftablesOptions } from './nftables/nftables-network.ts';
export { toolRunner } from './nftables/run-tool.ts';
export type { RunTool } from './nftables/run-tool.ts';
