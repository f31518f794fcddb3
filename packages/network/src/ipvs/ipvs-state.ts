import type { Table } from '../iptables/render-node.ts';
import type { Chains } from '../iptables/render-service.ts';

/** One virtual server: who asks there goes to one of the real ones in turn. */
export interface VirtualServer {
  /** Seconds that a client keeps its server; 0: it does not. */
  readonly persistence: number;
  /** `address:port`. */
  readonly servers: readonly string[];
}

/** The sets of addresses and ports: all doors; ClusterIPs; those whose guests are masqueraded; mere addresses. */
export type SetName = 'DOORS' | 'CLUSTER' | 'MASQUERADED' | 'ADDRESSES';
export const SET_NAMES: readonly SetName[] = ['DOORS', 'CLUSTER', 'MASQUERADED', 'ADDRESSES'];

/** What a family's Services are on a machine by IPVS. */
export interface IpvsState {
  /** By `-t 10.96.0.1:80`, as ipvsadm has it. */
  readonly virtuals: ReadonlyMap<string, VirtualServer>;
  /** Members: `10.96.0.1,tcp:80`, and addresses. */
  readonly sets: Readonly<Record<SetName, ReadonlySet<string>>>;
  /** Ranges and addresses that the machine takes as its own. */
  readonly locals: ReadonlySet<string>;
  readonly chains: Readonly<Record<Table, Chains>>;
}

/** Nothing. */
export const NO_IPVS: IpvsState = {
  virtuals: new Map(),
  sets: { DOORS: new Set(), CLUSTER: new Set(), MASQUERADED: new Set(), ADDRESSES: new Set() },
  locals: new Set(),
  chains: { nat: new Map(), filter: new Map(), security: new Map() },
};

/** Lines of `ipvsadm --restore`: those that add and change, and those that take away. */
export function virtualLines(
  had: ReadonlyMap<string, VirtualServer>,
  has: ReadonlyMap<string, VirtualServer>,
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const added: string[] = [];
  const removed: string[] = [];
  for (const [key, { persistence, servers }] of has) {
    const before = had.get(key);
    const keeps = persistence === 0 ? '' : ` -p ${persistence}`;
    if (before === undefined) added.push(`-A ${key} -s rr${keeps}`);
    else if (before.persistence !== persistence) added.push(`-E ${key} -s rr${keeps}`);
    const there = new Set(before?.servers);
    for (const server of servers) if (!there.delete(server)) added.push(`-a ${key} -r ${server} -m -w 1`);
    for (const server of there) removed.push(`-d ${key} -r ${server}`);
  }
  for (const key of had.keys()) if (!has.has(key)) removed.push(`-D ${key}`);
  return { added, removed };
}

/** What `ipvsadm --save -n` tells. */
export function readVirtuals(text: string): Map<string, VirtualServer> {
  const found = new Map<string, { persistence: number; servers: string[] }>();
  for (const line of text.split('\n')) {
    const [, verb, key = '', rest = ''] = /^-([Aa]) (-\S+ \S+)(.*)$/.exec(line.trim()) ?? [];
    if (verb === 'A') found.set(key, { persistence: Number(/ -p (\d+)/.exec(rest)?.[1] ?? 0), servers: [] });
    const server = / -r (\S+)/.exec(rest)?.[1];
    if (verb === 'a' && server !== undefined) found.get(key)?.servers.push(server);
  }
  return found;
}
