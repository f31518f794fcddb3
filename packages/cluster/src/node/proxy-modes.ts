import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { ServiceNetwork } from '@binnacle/network';
import { IptablesNetwork, prefixOf, usableFamilies } from '@binnacle/network/iptables';
import { IpvsNetwork } from '@binnacle/network/ipvs';
import { NftablesNetwork, readNeighbourDoors, toolRunner } from '@binnacle/network/nftables';
import type { NeighbourDoors, NftSession, RunTool } from '@binnacle/network/nftables';
import { ownAddresses } from './own-addresses.ts';

/** What makes Services real on a machine. */
export const PROXY_MODES = ['nftables', 'iptables', 'ipvs'] as const;
/** One of them. */
export type ProxyMode = (typeof PROXY_MODES)[number];

/** What a mode's driver is made with. */
export interface ProxyModeOptions {
  /** Of our table; our chains of iptables begin with its first nine letters. Nobody else's on this machine. */
  readonly name: string;
  readonly run: RunTool;
  readonly log: Logger;
  /** See `NftablesOptions`, both. */
  readonly session?: NftSession;
  readonly quietly?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The driver of a mode. Throws NetworkError where the machine lacks its tool. */
export async function openProxyMode(
  mode: ProxyMode,
  { name, run, log, ...nftables }: ProxyModeOptions,
): Promise<ServiceNetwork> {
  switch (mode) {
    case 'nftables': {
      const families = ['IPv4', 'IPv6'] as const;
      return new NftablesNetwork({ ...nftables, table: name, families, run, log });
    }
    case 'iptables':
      return new IptablesNetwork({ prefix: prefixOf(name), families: await usableFamilies(run), run, log });
    case 'ipvs':
      return new IpvsNetwork({ prefix: prefixOf(name), families: await usableFamilies(run), run, log });
  }
}

/**
 * Takes the rules away that other modes left on this machine; `mode` absent: those of all modes. Says what was not asked. Before
 * the first rules of iptables and of IPVS, whose chains have the same names: what one of them writes takes the other's place.
 */
export async function removeOtherModes(mode: ProxyMode | undefined, options: ProxyModeOptions): Promise<void> {
  for (const other of PROXY_MODES) {
    if (other === mode || (mode === 'ipvs' && other === 'iptables')) continue;
    try {
      await (await openProxyMode(other, options)).remove();
    } catch (error) {
      options.log.info(2, 'rules of another mode were not looked for', { mode: other, reason: messageOf(error) });
    }
  }
}

/** What other clusters of this machine have of its ports, by whatever mode, asked each time; `table`: of our rules. */
export function neighbourDoors(table: string): () => Promise<NeighbourDoors> {
  const run = toolRunner();
  return () => readNeighbourDoors(run, prefixOf(table), ownAddresses());
}

/** Whether rules of other modes are to be taken before this mode's come: they have names in common. */
export function sharesNames(mode: ProxyMode): boolean {
  return mode !== 'nftables';
}

/** The same without families: ports that nobody else can have here, as `tcp/80`. */
export function portsOfDoors(doors: NeighbourDoors): ReadonlySet<string> {
  return new Set([...doors.keys()].map((door) => door.slice(door.indexOf('/') + 1)));
}
