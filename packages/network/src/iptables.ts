/** The door to iptables: Services on a Linux machine without nftables, by its `iptables-restore`. */
export { prefixOf } from './iptables/chain-names.ts';
export { usableFamilies } from './iptables/chain-tables.ts';
export { IptablesNetwork } from './iptables/iptables-network.ts';
export type { IptablesOptions } from './iptables/iptables-network.ts';
