/** The door to IPVS: Services on a Linux machine whose kernel has it, by `ipvsadm`, `ipset` and `iptables-restore`. */
export { IpvsNetwork } from './ipvs/ipvs-network.ts';
export type { IpvsOptions } from './ipvs/ipvs-network.ts';
