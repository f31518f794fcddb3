import { NetworkError } from '../errors.ts';
import { prefixOf } from '../iptables/chain-names.ts';
import { NAMES } from '../nftables/names.ts';
import type { Family, Protocol } from '../rules.ts';
import type { RunTool } from './run-tool.ts';

/** Another cluster of this machine that has a port of the machine's own addresses. */
export interface Neighbour {
  /** Its table, chains or set, as people find them. */
  readonly rules: string;
  /** Where both have the port it is theirs: of two, the one whose name sorts first. */
  readonly isFirst: boolean;
}

/** By `IPv4/tcp/30080`. */
export type NeighbourDoors = ReadonlyMap<string, Neighbour>;

/** What rules of one kind tell: a port of which address (none: of all), and whose. */
export interface ToldDoor {
  readonly owner: string;
  readonly rules: string;
  readonly protocol: Protocol;
  readonly address?: string;
  readonly port: string;
}

/** How the rules of all clusters are named, by their first letters. */
const CLUSTERS = /^(?:bn|binnacle)/i;
const FAMILIES: readonly Family[] = ['IPv4', 'IPv6'];
const MAPS = [NAMES.nodePorts, NAMES.unservedNodePorts, NAMES.serviceIPs, NAMES.unservedIPs];

/**
 * Ports of this machine's own addresses (node ports, load balancers) that other clusters here have, whatever makes their
 * rules: packets for one go where the rules that were made last say, and nobody hears of it. `own`: the prefix of our rules.
 */
export async function readNeighbourDoors(
  run: RunTool,
  own: string,
  addresses: readonly string[],
): Promise<NeighbourDoors> {
  const found = new Map<string, Neighbour>();
  for (const family of FAMILIES) {
    const told = await Promise.all([readTables(run, family, own), readChains(run, family), readSets(run, family)]);
    for (const { owner, rules, protocol, address, port } of told.flat()) {
      if (prefixOf(owner) === own || (address !== undefined && !addresses.includes(address))) continue;
      found.set(`${family}/${protocol}/${port}`, { rules, isFirst: prefixOf(owner) < own });
    }
  }
  return found;
}

/** Tells a tool that this machine lacks, or that has nothing to say, from one that speaks. */
async function hear(run: RunTool, command: readonly string[]): Promise<string> {
  try {
    return await run(command);
  } catch (error) {
    if (error instanceof NetworkError) return '';
    throw error;
  }
}

async function readTables(run: RunTool, family: Family, own: string): Promise<readonly ToldDoor[]> {
  const kind = family === 'IPv4' ? 'ip' : 'ip6';
  const tables = await hear(run, ['nft', 'list', 'tables', kind]);
  const told: ToldDoor[] = [];
  for (const [, table = ''] of tables.matchAll(/^table \S+ (\S+)$/gm)) {
    if (!CLUSTERS.test(table) || prefixOf(table) === own) continue;
    // One by one: nft 1.0.6 finds nothing where it is asked for two at once.
    for (const map of MAPS) told.push(...doorsOfMaps(await hear(run, ['nft', 'list', 'map', kind, table, map]), table));
  }
  return told;
}

/** What nftables lists of the maps of one table. */
export function doorsOfMaps(text: string, table: string): ToldDoor[] {
  const elements = text.matchAll(/(?:([0-9a-f:.]+) \. )?(tcp|udp|sctp) \. (\d+) :/g);
  return [...elements].map(([, address, protocol = '', port = '']) => ({
    ...{ owner: table, rules: `table ${table}`, protocol: protocol as Protocol, port },
    ...(address === undefined ? {} : { address }),
  }));
}

async function readChains(run: RunTool, family: Family): Promise<readonly ToldDoor[]> {
  return doorsOfChains(await hear(run, [family === 'IPv4' ? 'iptables-save' : 'ip6tables-save']));
}

/** What `iptables-save` tells of chains of clusters. */
export function doorsOfChains(text: string): ToldDoor[] {
  return text.split('\n').flatMap((line) => {
    const [, owner = '', chain = '', rest = ''] =
      /^-A ([A-Z0-9]+)-(NODEPORTS|NOPORTS|SERVICES|UNSERVED) (.*)$/.exec(line) ?? [];
    const protocol = /(?:^| )-p (tcp|udp|sctp) /.exec(rest)?.[1] as Protocol | undefined;
    const port = / --dport (\d+)/.exec(rest)?.[1];
    if (!CLUSTERS.test(owner) || protocol === undefined || port === undefined) return [];
    const address = /(?:^| )-d ([0-9a-f:.]+)/.exec(rest)?.[1];
    if (address === undefined && !chain.endsWith('PORTS')) return [];
    return [{ owner, rules: `chains ${owner}-…`, protocol, port, ...(address === undefined ? {} : { address }) }];
  });
}

async function readSets(run: RunTool, family: Family): Promise<readonly ToldDoor[]> {
  return doorsOfSets(await hear(run, ['ipset', 'save']), family);
}

/** What `ipset save` tells of the sets of clusters that IPVS serves. */
export function doorsOfSets(text: string, family: Family): ToldDoor[] {
  const members = text.matchAll(/^add ([A-Z0-9]+)-DOORS([46]) ([0-9a-f:.]+),(tcp|udp|sctp):(\d+)/gm);
  return [...members].flatMap(([, owner = '', six, address = '', protocol = '', port = '']) =>
    CLUSTERS.test(owner) && (six === '6') === (family === 'IPv6')
      ? [{ owner, rules: `set ${owner}-DOORS${six}`, protocol: protocol as Protocol, address, port }]
      : [],
  );
}
